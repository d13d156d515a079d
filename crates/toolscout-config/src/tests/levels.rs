//! Policies and modes of a user and of a project.

use super::*;

fn rules(rules: &PolicyRules) -> Vec<String> {
    rules.rules.iter().map(|(pattern, policy)| format!("{pattern} {}", policy.as_str())).collect()
}

#[test]
fn each_file_sets_the_rules_of_its_own_level() {
    let world = World::with_file(
        "user/config.toml",
        "default_policy = \"ask\"\n[policies]\n\"*\" = \"allow\"\n[servers.fs]\ncommand = \"x\"\ntools = { write = \"deny\" }\n",
    )
    .file("project/toolscout.toml", "[policies]\n\"fs/*\" = \"ask\"\n\"local/rm all\" = \"disable\"\n")
    .file("project/.mcp.json", r#"{"mcpServers": {"fs": {"command": "y", "tools": {"*": "allow", "read": "ask"}}}}"#);
    let config = world.read();
    assert_eq!(config.user_rules.default.map(|default| default.as_str()), Some("ask"));
    assert_eq!(
        rules(&config.user_rules),
        ["* allow", "fs/write deny"],
        "user rules apply although the project replaces the server"
    );
    assert_eq!(config.project_rules.default, None);
    assert_eq!(
        rules(&config.project_rules),
        ["fs/* ask", "local/rm all disable", "fs/* allow", "fs/read ask"]
    );
    assert_eq!(program(&config, "fs").command.written(), "y");
}

#[test]
fn an_unknown_policy_denies_and_is_reported() {
    let world = World::with_file(
        "project/toolscout.toml",
        "[policies]\n\"a/b\" = \"alow\"\nbad = \"ask\"\n\"*/x\" = \"ask\"\n[servers.s]\ncommand = \"x\"\n[servers.s.tools]\nt = \"block\"\n",
    );
    let config = world.read();
    assert_eq!(rules(&config.project_rules), ["a/b deny", "s/t deny"]);
    let warnings = world.warnings();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("`a/b` is `alow`; use allow, ask, deny or disable")
                && warning.contains("line 2"))
    );
    assert!(
        warnings.iter().any(|warning| warning.contains("`bad` is not a tool pattern")),
        "{warnings:?}"
    );
    assert!(
        warnings.iter().any(|warning| warning.contains("`*/x` is not a tool pattern")),
        "{warnings:?}"
    );
    assert!(
        warnings.iter().any(|warning| warning.contains("server `s`: the policy of `t` is `block`")
            && warning.contains("line 8"))
    );
}

#[test]
fn an_unknown_default_policy_is_an_error() {
    let error = World::with_file("project/toolscout.toml", "default_policy = \"maybe\"\n")
        .try_read()
        .map(|_| ())
        .expect_err("the policy is invalid");
    assert!(error.to_string().contains("use allow, ask, deny or disable"), "{error}");
}

#[test]
fn the_stricter_mode_wins_and_a_project_cannot_allow_all() {
    let mode = |user: &str, project: &str| {
        let line = |text: &str| {
            if text.is_empty() { String::new() } else { format!("mode = \"{text}\"\n") }
        };
        let world = World::with_file("user/config.toml", &line(user))
            .file("project/toolscout.toml", &line(project));
        (world.read().mode, world.warnings().len())
    };
    assert_eq!(mode("", ""), (PolicyMode::Normal, 0));
    assert_eq!(mode("allow-all", ""), (PolicyMode::AllowAll, 0));
    assert_eq!(mode("allow-all", "normal"), (PolicyMode::Normal, 0));
    assert_eq!(mode("allow-all", "read-only"), (PolicyMode::ReadOnly, 0));
    assert_eq!(mode("read-only", "normal"), (PolicyMode::ReadOnly, 0));
    assert_eq!(mode("", "allow-all"), (PolicyMode::Normal, 1));
}
