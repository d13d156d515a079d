//! Precedence of files, and the messages about mistakes.

use super::*;
use std::time::Duration;
use toolscout_core::Visibility;
use toolscout_mcp_client::{OnChange, ProtocolChoice};

#[test]
fn an_entry_sets_every_option_of_a_server() {
    let world = World::with_file(
        "user/config.toml",
        r#"
        [servers.fs]
        command = "npx"
        args = ["-y", "server", "--port", 80]
        env = { TOKEN = "env:FS_TOKEN" }
        cwd = "~/work"
        tools = { write_file = "ask", "*" = "allow" }
        visibility = "listed"
        filter = { include = ["read_*"], exclude = ["read_all"] }
        on_change = "accept"
        trust = false
        protocol = "legacy"
        discovery_timeout_ms = 1000
        call_timeout_ms = 2000
        idle_timeout_ms = 3000

        [servers.web]
        url = "https://example.com/mcp"
        type = "sse"
        headers = { X-Team = "blue" }
        bearer = "keyring:web"
        client_id = "toolscout"
        scopes = ["read"]
        enabled = false
        "#,
    );
    let config = world.read();
    assert_eq!(ids(&config), ["fs", "web"]);
    let (fs, program) = (server(&config, "fs"), program(&config, "fs"));
    assert_eq!(
        program.args.iter().map(|arg| arg.written()).collect::<Vec<_>>(),
        ["-y", "server", "--port", "80"]
    );
    assert_eq!(program.env["TOKEN"].written(), "env:FS_TOKEN");
    assert_eq!(program.cwd.as_deref(), Some(Path::new("/home/ada/work")));
    assert_eq!(
        (fs.visibility, fs.on_change, fs.trusted),
        (Visibility::Listed, OnChange::Accept, false)
    );
    assert_eq!(fs.filter.include.as_deref(), Some(&["read_*".to_owned()][..]));
    assert_eq!(fs.protocol, ProtocolChoice::Legacy);
    assert_eq!(fs.idle_timeout, Some(Duration::from_secs(3)));
    assert_eq!(fs.configured_in.as_deref(), Some(&*world.path("user/config.toml")));
    assert!(fs.enabled && !server(&config, "web").enabled);
    let web = endpoint(&config, "web");
    assert!(web.sse && web.scopes == ["read"] && web.headers["X-Team"].written() == "blue");
    assert_eq!(config.diagnostics, []);
}

#[test]
fn the_first_file_with_an_id_defines_the_whole_entry() {
    let world = World::with_file(
        "user/config.toml",
        "[servers.a]\ncommand = \"user\"\nargs = [\"x\"]\n[servers.u]\ncommand = \"u\"\n",
    )
    .file(
        "project/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "mcp"}, "b": {"command": "mcp"}}}"#,
    )
    .file(
        "project/.lace/mcp-config.json",
        r#"{"servers": {"b": {"command": "lace"}, "c": {"command": "lace"}}}"#,
    )
    .file(
        "project/.orion/config.yaml",
        "mcpServers:\n  c: {command: orion}\n  d: {command: orion}\n",
    )
    .file("project/toolscout.toml", "[servers.a]\ncommand = \"project\"\n");
    let config = world.read();
    let commands: Vec<(&str, &str)> =
        ids(&config).into_iter().map(|id| (id, program(&config, id).command.written())).collect();
    assert_eq!(
        commands,
        [("a", "project"), ("b", "mcp"), ("c", "lace"), ("d", "orion"), ("u", "u")]
    );
    assert!(program(&config, "a").args.is_empty(), "no field of the other entry remains");
    assert_eq!(config.files.len(), 5);
    assert_eq!(world.warnings(), [""; 0]);
}

#[test]
fn a_project_may_only_disable_a_server_of_the_user() {
    let world = World::with_file("user/config.toml", "[servers.a]\ncommand = \"user\"\n").file(
        "project/toolscout.toml",
        "[servers.a]\nenabled = false\n[servers.b]\nenabled = false\n",
    );
    let config = world.read();
    assert_eq!(ids(&config), ["a"]);
    assert!(!server(&config, "a").enabled);
    assert_eq!(config.servers[0].scope, ConfigScope::User);
    assert_eq!(world.warnings(), [""; 0]);
}

/// D-22: one invalid and one valid server.
#[test]
fn an_invalid_entry_is_reported_and_the_others_are_read() {
    let text = "[servers.good]\ncommand = \"x\"\n\n[servers.bad]\ncommand = 5\n\n[servers.none]\nargs = []\n";
    let world = World::with_file("project/toolscout.toml", text);
    assert_eq!(ids(&world.read()), ["good"]);
    assert_eq!(
        world.warnings(),
        [
            "toolscout.toml: line 5 column 1: server `bad`: `command` is `5`; it must be a string; it is skipped",
            "toolscout.toml: line 7 column 1: server `none`: it has neither `command` nor `url`; it is skipped",
        ]
    );
    assert_eq!(
        std::fs::read_to_string(world.path("project/toolscout.toml")).expect("the file exists"),
        text
    );
}

#[test]
fn an_invalid_entry_still_replaces_the_one_with_lower_precedence() {
    let world = World::with_file("user/config.toml", "[servers.a]\ncommand = \"user\"\n")
        .file("project/toolscout.toml", "[servers.a]\ncomand = \"project\"\n");
    assert_eq!(ids(&world.read()), [""; 0]);
    assert_eq!(world.warnings().len(), 2);
    assert!(
        world.warnings()[0].contains("unknown key `comand`; did you mean `command`?"),
        "{:?}",
        world.warnings()
    );
}

#[test]
fn invalid_entries_are_explained() {
    let cases = [
        (r#"{"command": "x", "url": "https://x"}"#, "both `command` and `url`"),
        (r#"{"command": " "}"#, "`command` is empty"),
        (r#"{"type": "http"}"#, "no `url`"),
        (r#"{"type": "stdio"}"#, "no `command`"),
        (r#"{"type": "ws", "url": "wss://x"}"#, "`ws` is not supported; use http, sse or stdio"),
        (r#"{"type": "carrier-pigeon", "url": "https://x"}"#, "`carrier-pigeon` is unknown"),
        (r#"{"url": "ftp://x"}"#, "must start with `http://` or `https://`"),
        (r#"{"command": "x", "args": "a b"}"#, "`args` is a string; it must be a list"),
        (r#"{"command": "x", "env": {"A": ["b"]}}"#, "`env.A` is a list; it must be a string"),
        (r#"{"command": "x", "call_timeout_ms": 0}"#, "`call_timeout_ms` is `0`"),
        (
            r#"{"command": "x", "visibility": "all"}"#,
            "`visibility` is `all`; use searchable or listed",
        ),
        (
            r#"{"command": "x", "on_change": "ask"}"#,
            "`on_change` is `ask`; use quarantine or accept",
        ),
        (
            r#"{"command": "x", "protocol": "2031-01-01"}"#,
            "`protocol` is `2031-01-01`; use one of auto, modern, legacy, 2026-07-28, 2025-11-25",
        ),
        (r#"{"command": "x", "filter": {"only": []}}"#, "`filter.only` is an unknown key"),
        (
            r#"{"command": "x", "cwd": "${GONE}/x"}"#,
            "its `cwd`: needs GONE. Export it, or store it with `toolscout secret set GONE`",
        ),
        (r#"[]"#, "it is a list; it must be a table"),
    ];
    for (entry, words) in cases {
        let world = World::with_file(
            "project/toolscout.json",
            &format!("{{\"servers\": {{\"s\": {entry}}}}}"),
        );
        let warnings = world.warnings();
        assert!(warnings.len() == 1 && warnings[0].contains(words), "{entry}: {warnings:?}");
        assert!(
            warnings[0].contains("server `s`") && warnings[0].contains("line 1 column"),
            "{warnings:?}"
        );
        assert_eq!(ids(&world.read()), [""; 0]);
    }
}

/// D-23: in every format, with the path, the line and the column.
#[test]
fn a_file_that_does_not_parse_is_an_error_with_its_position() {
    let cases = [
        ("project/toolscout.toml", "strict = true\nroots = [\n", "line 2 column"),
        ("project/toolscout.json", "{\n  \"strict\": nope\n}", "line 2 column"),
        ("project/toolscout.yaml", "strict: true\nroots: [\n", "line"),
        ("project/.mcp.json", "{\"mcpServers\": {\n  \"a\": }}", "line 2 column 8"),
        ("project/.lace/mcp-config.json", "{\"servers\": [}", "line 1 column"),
        ("project/.orion/config.yaml", "mcpServers:\n\t- x", "line 2"),
        ("user/config.toml", "= 1", "line 1 column 1"),
        (
            "project/toolscout.toml",
            "strict = 1\n",
            "`strict` is `1`; it must be true or false at line 1 column 1",
        ),
        (
            "project/toolscout.toml",
            "\nmode = \"odd\"\n",
            "use normal, read-only or allow-all at line 2 column 1",
        ),
        (
            "project/toolscout.toml",
            "servers = 5\n",
            "`servers` must be a table of servers at line 1",
        ),
        (
            "project/.mcp.json",
            "{\"mcpServers\": {\"a\": {}, \"a\": {}}}",
            "duplicate key `a` at line 1 column 26",
        ),
        ("project/.mcp.json", "[]", "must be a table"),
    ];
    for (name, text, position) in cases {
        let world = World::with_file(name, text);
        let error = world.try_read().map(|value| value.files).expect_err(name);
        let message = error.to_string();
        assert!(
            message.contains(&*world.path(name).to_string_lossy()) && message.contains(position),
            "{message}"
        );
        assert_eq!(error.kind(), toolscout_core::ErrorKind::Invalid);
    }
}

#[test]
fn parse_errors_do_not_quote_the_file() {
    for (name, text) in [
        ("project/toolscout.toml", "bearer = \"s3cret\n"),
        ("project/.mcp.json", "{\"bearer\": \"s3cret}"),
        ("project/toolscout.yaml", "bearer: 's3cret\n"),
        ("project/toolscout.toml", "strict = \"s3cret\"\n"),
    ] {
        let error =
            World::with_file(name, text).try_read().map(|value| value.files).expect_err(name);
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
    }
}

#[test]
fn invalid_ids_are_refused_with_a_suggestion() {
    let world = World::with_file(
        "project/toolscout.toml",
        "[servers.\"GitHub Server\"]\ncommand = \"x\"\n[servers.local]\ncommand = \"x\"\n",
    );
    assert_eq!(ids(&world.read()), [""; 0]);
    let warnings = world.warnings();
    assert!(
        warnings[0].contains("for example `github-server`") && warnings[0].contains("line 1"),
        "{warnings:?}"
    );
    assert!(warnings[1].contains("`local` is reserved for toolscout"), "{warnings:?}");
}

#[test]
fn settings_are_merged_field_by_field() {
    let world = World::with_file(
        "user/config.toml",
        "on_conflict = \"skip\"\nstrict = true\nroots = [\"mine\"]\ntool_files = [\"f\"]\nignore = [\"x\"]\n",
    )
    .file("project/toolscout.toml", "strict = false\ntool_directories = [\"more\"]\n");
    let settings = world.read().settings;
    assert_eq!((settings.strict, settings.on_conflict.as_deref()), (Some(false), Some("skip")));
    assert_eq!(settings.tool_directories, Some(vec![world.path("project/more")]));
    assert_eq!(
        (settings.roots, settings.tool_files),
        (None, None),
        "a project that sets one location replaces all"
    );
    assert_eq!(settings.ignore, Some(vec!["x".to_owned()]));
}

#[test]
fn paths_are_relative_to_their_own_file() {
    let world = World::with_file(
        "user/config.toml",
        "roots = [\"default\", \"mine\"]\ntool_files = [\"/abs\"]\n",
    );
    let settings = world.read().settings;
    assert_eq!(settings.roots, Some(vec![PathBuf::from("default"), world.path("user/mine")]));
    assert_eq!(settings.tool_files, Some(vec![PathBuf::from("/abs")]));
}

#[test]
fn an_unknown_setting_is_reported_with_a_suggestion() {
    let world =
        World::with_file("project/toolscout.toml", "rots = []\nservrs = {}\n\"$schema\" = \"x\"\n");
    assert_eq!(
        world.warnings(),
        [
            "toolscout.toml: unknown setting `rots`; did you mean `roots`?",
            "toolscout.toml: unknown setting `servrs`; did you mean `servers`?"
        ]
    );
}

#[test]
fn a_second_own_file_is_ignored_with_a_warning() {
    let world = World::with_file("project/toolscout.toml", "strict = true\n")
        .file("project/toolscout.json", "not read");
    assert_eq!(world.read().settings.strict, Some(true));
    assert!(
        world.warnings()[0].starts_with("toolscout.json: is ignored because `"),
        "{:?}",
        world.warnings()
    );
}

#[test]
fn empty_files_and_byte_order_marks_are_accepted() {
    for (name, text) in [
        ("project/toolscout.toml", ""),
        ("project/toolscout.json", " \n"),
        ("project/toolscout.yaml", "# nothing\n"),
        ("project/.mcp.json", "// nothing\n"),
    ] {
        assert_eq!(ids(&World::with_file(name, text).read()), [""; 0], "{name}");
    }
    let world = World::with_file(
        "project/.mcp.json",
        "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}",
    );
    assert_eq!(ids(&world.read()), ["a"]);
}

/// Servers of an untrusted project are not started; servers from the user's configuration are.
#[test]
fn servers_of_an_untrusted_project_may_not_start() {
    let mut world = World::with_file(
        "project/.mcp.json",
        r#"{"mcpServers": {"p": {"command": "x", "trust": true}}}"#,
    )
    .file("user/config.toml", "[servers.u]\ncommand = \"x\"\n");
    let rights = |world: &World| {
        let config = world.read();
        config
            .servers
            .iter()
            .map(|server| (server.may_start, server.server.trusted))
            .collect::<Vec<_>>()
    };
    assert_eq!(rights(&world), [(true, true), (true, true)]);
    world.trusted = false;
    assert_eq!(rights(&world), [(false, false), (true, true)]);
}

#[test]
fn trust_is_checked_only_if_the_project_has_servers() {
    let world = World::with_file("user/config.toml", "[servers.u]\ncommand = \"x\"\n")
        .file("project/toolscout.toml", "");
    let read = world.try_read_if(&|_| panic!("the files must not be read"));
    assert_eq!(ids(&read.expect("read")), ["u"]);
}
