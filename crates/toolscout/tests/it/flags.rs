//! 1. Every property of a schema is a flag; nested names are joined. Values arrive with the type of
//!    the schema.
//! 2. Lists, enums, defaults, booleans and short flags accept all their spellings.
//! 3. CLI hints of the author apply. Invalid hints are reported and do not affect the rest.
//! 4. An invalid call is an error with a suggestion, and nothing runs.
//! 5. Arguments after `--` reach the program of the tool unchanged.

mod errors;
mod rest_arguments;

use crate::world::World;
use serde_json::{Value, json};

/// A project with the tool `t`, which has these properties and echoes its arguments.
fn echo(properties: Value) -> World {
    hinted(properties, json!({}))
}

/// As [`echo`], with CLI hints.
fn hinted(properties: Value, cli: Value) -> World {
    World::project().file("tools/t.tool.json", &tool("t", properties, cli))
}

fn tool(name: &str, properties: Value, cli: Value) -> String {
    let schema = json!({"type": "object", "properties": properties});
    json!({"name": name, "input_schema": schema, "cli": cli, "run": {"command": ["cat"]}})
        .to_string()
}

fn config() -> Value {
    json!({"name": {"type": "string"}, "config": {"type": "object", "properties": {"timeout": {"type": "number"}}}})
}

/// S-01: schema {name: string, config: {timeout: number}}.
#[test]
fn a_nested_property_is_a_flag_and_is_passed_nested() {
    let output = echo(config()).stdout(&["t", "--name", "a", "--config-timeout", "30"]);
    assert_eq!(output, "{\"name\":\"a\",\"config\":{\"timeout\":30}}\n");
}

/// S-02, M-08a: the separators `.`, `_`, `:`, `/`, `__` and none.
#[test]
fn the_separator_of_nested_flags_is_configurable() {
    for (separator, flag) in [
        (".", "--config.timeout"),
        ("_", "--config_timeout"),
        (":", "--config:timeout"),
        ("/", "--config/timeout"),
        ("__", "--config__timeout"),
        ("", "--configtimeout"),
    ] {
        let world = hinted(config(), json!({"separator": separator}));
        assert!(
            world.stdout(&["t", "--help"]).contains(&format!("{flag} NUMBER")),
            "{separator:?}"
        );
        assert_eq!(world.stdout(&["t", flag, "30"]), "{\"config\":{\"timeout\":30}}\n");
    }
}

/// S-04: properties `config-timeout` and config.timeout together.
#[test]
fn properties_with_clashing_flags_are_reported_and_remain_usable() {
    let mut both = config();
    both["config-timeout"] = json!({"type": "number"});
    let world = hinted(both.clone(), json!({}));
    let report = "config-timeout: config-timeout, config.timeout";
    let doctor = world.run(&["doctor"]).exits(1);
    assert!(doctor.out.contains(report), "{doctor:?}");
    let ran = world
        .run(&["t", "--config-timeout", "1", "--config", "{\"timeout\": 2}"])
        .exits(0)
        .stderr_contains(&[report]);
    assert_eq!(ran.json(), json!({"config": {"timeout": 2}, "config-timeout": 1}));

    let apart = hinted(both, json!({"separator": "_"}));
    assert!(apart.stdout(&["doctor"]).ends_with("No problems.\n"));
    assert_eq!(apart.stdout(&["t", "--config_timeout", "2"]), "{\"config\":{\"timeout\":2}}\n");
}

/// M-08d: a warning of `tools`, a note in the help, an error with `--strict`.
#[test]
fn clashing_flags_are_shown_by_tools_and_help() {
    let mut both = config();
    both["config-timeout"] = json!({"type": "number"});
    let world = hinted(both, json!({}));
    let report = "config-timeout: config-timeout, config.timeout";
    let listed = world.run(&["tools"]).exits(0).stderr_contains(&[report]);
    assert_eq!(listed.err.matches(report).count(), 1, "{}", listed.err);
    assert!(world.stdout(&["t", "--help"]).contains("same flag"));
    for args in [&["--strict", "tools"][..], &["--strict", "t", "--name", "a"]] {
        let stopped = world.run(args).stderr_contains(&[report]);
        assert_ne!(stopped.code, 0, "{args:?}");
        assert_eq!(stopped.out, "", "{args:?}");
    }
}

/// M-08b: the depth of flags is set for each tool; an invalid depth is reported.
#[test]
fn the_depth_of_flags_is_configurable() {
    let leaf = json!({"type": "object", "properties": {"c": {"type": "object", "properties": {"d": {"type": "integer"}}}}});
    let properties = json!({"a": {"type": "object", "properties": {"b": leaf}}});
    let nested = "{\"a\":{\"b\":{\"c\":{\"d\":1}}}}\n";
    let deep = hinted(properties.clone(), json!({"max_depth": 4}));
    assert_eq!(deep.stdout(&["t", "--a-b-c-d", "1"]), nested);
    let flat = hinted(properties.clone(), json!({"max_depth": 1}));
    assert_eq!(flat.stdout(&["t", "--a", "{\"b\":{\"c\":{\"d\":1}}}"]), nested);
    flat.run(&["t", "--a-b-c-d", "1"]).exits(2);
    let wrong = hinted(properties, json!({"max_depth": 99}));
    let ran = wrong
        .run(&["t", "--a-b-c", "{\"d\":1}"])
        .exits(0)
        .stderr_contains(&["max_depth", "from 1 to 10"]);
    assert_eq!(ran.out, nested);
}

/// M-08c: type, required, default and parse of a flag, besides its looks.
#[test]
fn hints_override_the_schema_of_a_flag() {
    let properties = json!({"n": {"type": ["string", "number"]}, "mode": {"type": "string"}, "tags": {}, "who": {"type": "string"}, "name": {"type": "string"}});
    let cli = json!({
        "n": {"type": "integer", "short": "n"},
        "mode": {"default": "fast", "parse": "lowercase"},
        "tags": {"parse": "list"},
        "who": {"required": true, "parse": "trim"},
        "name": {"hidden": true, "description": "x"},
    });
    let world = hinted(properties.clone(), cli);
    let out = world.stdout(&["t", "-n", "5", "--who", " me ", "--tags", "a, b", "--mode", "SLOW"]);
    assert_eq!(
        serde_json::from_str::<Value>(&out).expect("JSON"),
        json!({"n": 5, "mode": "slow", "tags": ["a", "b"], "who": "me"})
    );
    let out = world.stdout(&["t", "--who", "me"]);
    assert_eq!(
        serde_json::from_str::<Value>(&out).expect("JSON"),
        json!({"mode": "fast", "who": "me"})
    );
    world.run(&["t"]).exits(2).stderr_contains(&["--who"]);
    world.run(&["t", "-n", "x", "--who", "me"]).exits(2).stderr_contains(&["is not an integer"]);
    let help = world.stdout(&["t", "--help"]);
    assert!(help.contains("default: fast") && !help.contains("--name"), "{help}");
    let wrong = hinted(properties, json!({"n": {"type": "int64"}, "mode": {"parse": "rot13"}}));
    wrong.run(&["doctor"]).exits(1);
    assert_eq!(
        wrong
            .run(&["t", "--mode", "A"])
            .exits(0)
            .stderr_contains(&["cli.n.type", "cli.mode.parse", "lowercase"])
            .out,
        "{\"mode\":\"A\"}\n"
    );
}

/// S-06: an optional object with required members.
#[test]
fn members_of_an_optional_object_are_required_once_one_is_given() {
    let member = json!({"type": "string"});
    let server = json!({"type": "object", "properties": {"host": member, "user": member}, "required": ["host", "user"]});
    let world = echo(json!({"server": server}));
    assert_eq!(world.stdout(&["t"]), "{}\n");
    world
        .run(&["t", "--server-host", "h"])
        .exits(2)
        .stderr_contains(&["server", "\"user\" is a required property"]);
    let both = world.stdout(&["t", "--server-host", "h", "--server-user", "u"]);
    assert_eq!(both, "{\"server\":{\"host\":\"h\",\"user\":\"u\"}}\n");
}

/// S-08, M-08e: `--items a, --items b`, `--items a,b` and `--items 'a, b'`.
#[test]
fn a_list_is_given_by_repetition_or_with_commas() {
    let world = echo(json!({"items": {"type": "array", "items": {"type": "string"}}}));
    let typed: [&[&str]; 5] =
        [&["a,", "--items", "b"], &["a,b"], &["a, b"], &["a", "--items", "b"], &["[\"a\",\"b\"]"]];
    for rest in typed {
        let args = [&["t", "--items"], rest].concat();
        assert_eq!(world.stdout(&args), "{\"items\":[\"a\",\"b\"]}\n", "{args:?}");
    }
}

/// S-09: array handling `json`.
#[test]
fn a_tool_may_accept_lists_as_json_only() {
    let items = json!({"items": {"type": "array", "items": {"type": "string"}}});
    let world = hinted(items, json!({"arrays": "json"}));
    assert_eq!(world.stdout(&["t", "--items", "[\"a\",\"b\"]"]), "{\"items\":[\"a\",\"b\"]}\n");
    world
        .run(&["t", "--items", "x"])
        .exits(2)
        .stderr_contains(&["Invalid value for --items: \"x\" is not a JSON array"]);
}

/// S-10: two `--server '{…}'`.
#[test]
fn objects_in_a_list_are_given_one_flag_each() {
    let host = json!({"type": "object", "properties": {"host": {"type": "string"}}});
    let world = echo(json!({"server": {"type": "array", "items": host}}));
    let output =
        world.stdout(&["t", "--server", "{\"host\":\"a\"}", "--server", "{\"host\":\"b\"}"]);
    assert_eq!(output, "{\"server\":[{\"host\":\"a\"},{\"host\":\"b\"}]}\n");
}

/// S-12: defaults of a string, a number, a boolean.
#[test]
fn defaults_are_shown_and_applied_only_if_no_value_is_given() {
    let world = echo(json!({
        "text": {"type": "string", "default": "json"},
        "count": {"type": "integer", "default": 5},
        "loud": {"type": "boolean", "default": true},
    }));
    assert_eq!(world.stdout(&["t"]), "{\"text\":\"json\",\"count\":5,\"loud\":true}\n");
    let given = world.stdout(&["t", "--text=", "--count", "0", "--no-loud"]);
    assert_eq!(given, "{\"text\":\"\",\"count\":0,\"loud\":false}\n");
    let help = world.stdout(&["t", "--help"]);
    for default in ["(default: json)", "(default: 5)", "(default: true)"] {
        assert!(help.contains(default), "{help}");
    }
}

/// S-13: a short flag and a description for `config-timeout`, and a hint for a flag that does not
/// exist.
#[test]
fn cli_hints_add_short_flags_and_help_and_unknown_flags_are_reported() {
    let hints = json!({"config-timeout": {"short": "t", "description": "Seconds to wait"}, "colour": {"short": "c"}});
    let world = hinted(config(), hints);
    let ran = world
        .run(&["t", "-t", "30"])
        .exits(0)
        .stderr_contains(&["a hint for `--colour`, which is not one of its flags"]);
    assert_eq!(ran.out, "{\"config\":{\"timeout\":30}}\n");
    let help = world.run(&["t", "--help"]).exits(0).out;
    assert!(
        help.contains("-t, --config-timeout NUMBER") && help.contains("Seconds to wait"),
        "{help}"
    );
    assert!(!help.contains("colour"), "{help}");
    world.run(&["t", "--colour", "red"]).exits(2).stderr_contains(&["Unknown option: --colour"]);
}

/// S-14: two tools, `-` and `.`.
#[test]
fn each_tool_has_its_own_separator() {
    let dotted = tool("u", config(), json!({"separator": "."}));
    let world = echo(config()).file("tools/u.tool.json", &dotted);
    let expected = "{\"config\":{\"timeout\":1}}\n";
    assert_eq!(world.stdout(&["t", "--config-timeout", "1"]), expected);
    assert_eq!(world.stdout(&["u", "--config.timeout", "1"]), expected);
    world
        .run(&["u", "--config-timeout", "1"])
        .exits(2)
        .stderr_contains(&["Unknown option", "Did you mean --config.timeout?"]);
}

/// S-15: properties named `__proto__` and `constructor`.
#[test]
fn special_javascript_names_are_plain_data() {
    let world = echo(json!({"__proto__": {"type": "string"}, "constructor": {"type": "string"}}));
    let output = world.stdout(&["t", "--__proto__", "a", "--constructor", "b"]);
    assert_eq!(output, "{\"__proto__\":\"a\",\"constructor\":\"b\"}\n");
}

/// S-24: `--no-cache` and `--cache=false`.
#[test]
fn a_boolean_flag_can_be_turned_off_in_two_ways() {
    let world = echo(json!({"cache": {"type": "boolean"}}));
    for (args, expected) in [
        (&["t", "--no-cache"][..], "{\"cache\":false}\n"),
        (&["t", "--cache=false"], "{\"cache\":false}\n"),
        (&["t", "--cache"], "{\"cache\":true}\n"),
        (&["t", "--cache=true"], "{\"cache\":true}\n"),
        (&["t"], "{}\n"),
    ] {
        assert_eq!(world.stdout(args), expected, "{args:?}");
    }
}

/// S-25: `-abc`, `-f=bar`, `--k=v`, `--k v`.
#[test]
fn short_and_long_flags_are_equivalent() {
    let on = json!({"type": "boolean"});
    let properties = json!({"all": on, "brief": on, "colour": on, "file": {"type": "string"}});
    let hints = json!({"all": {"short": "a"}, "brief": {"short": "b"}, "colour": {"short": "c"}, "file": {"short": "f"}});
    let world = hinted(properties, hints);
    let file = "{\"file\":\"bar\"}\n";
    for args in [&["-f=bar"][..], &["-fbar"], &["-f", "bar"], &["--file=bar"], &["--file", "bar"]] {
        assert_eq!(world.stdout(&[&["t"], args].concat()), file, "{args:?}");
    }
    let three = "{\"all\":true,\"brief\":true,\"colour\":true}\n";
    for args in [&["-abc"][..], &["-a", "-b", "-c"], &["--all", "--brief", "--colour"]] {
        assert_eq!(world.stdout(&[&["t"], args].concat()), three, "{args:?}");
    }
    assert_eq!(
        world.stdout(&["t", "-acf", "bar"]),
        "{\"all\":true,\"colour\":true,\"file\":\"bar\"}\n"
    );
}
