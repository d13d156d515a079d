//! 1. Without `--yes` nothing is written.
//! 2. Secrets are in no output, and in the project's file only if requested explicitly.
//! 3. A second import adds nothing.
//! 4. Finding nothing is not a failure.

use super::World;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use toolscout_surface::codes::Exit;

const SECRETS: [&str; 6] = [
    "ghp_Ab3dEf6hIj9lMn2pQr5tUv8x",
    "hunter2",
    "sk-proj-0123456789abcdef",
    "p4ss",
    "q9w8e7r6t5y4u3i2o1p0a9s8d7f6g5h4",
    "k-123",
];

fn world() -> World {
    World::new().file(
        ".cursor/mcp.json",
        r#"{"mcpServers": {
  "Git Hub": { "command": "npx", "args": ["-y", "server-github@1.2.3", "--password", "hunter2"],
               "env": { "GITHUB_TOKEN": "ghp_Ab3dEf6hIj9lMn2pQr5tUv8x", "LEVEL": "quiet-please" } },
  "api": { "url": "https://example.com/mcp?api_key=k-123",
           "headers": { "Authorization": "Bearer sk-proj-0123456789abcdef", "X-Opaque": "q9w8e7r6t5y4u3i2o1p0a9s8d7f6g5h4" } },
  "db": { "command": "db-mcp", "args": ["postgres://me:p4ss@localhost/shop"] }
}}"#,
    )
}

#[tokio::test]
async fn without_yes_it_only_shows() {
    let world = world();
    let before = world.snapshot();
    for args in [
        &[][..],
        &["--secrets", "env"],
        &["--secrets", "keep"],
        &["--yes", "--dry-run"],
        &["--json"],
    ] {
        world.import(args).await.done().hides(&SECRETS).says(&[
            "Would add 3 servers to ",
            "config.toml",
            "--yes",
        ]);
    }
    assert_eq!(world.snapshot(), before);
}

#[tokio::test]
async fn the_page_says_what_would_be_taken() {
    let world = world();
    let ran = world.import(&["--secrets", "env"]).await.done();
    assert_eq!(
        ran.out.replace(&world.home().display().to_string(), "~"),
        "Cursor  ~/.cursor/mcp.json
  + Git Hub -> git-hub  stdio  npx -y server-github@1.2.3 --password env:GIT_HUB_PASSWORD
      variable GITHUB_TOKEN = env:GITHUB_TOKEN
      variable LEVEL
      note: the secret in variable `GITHUB_TOKEN` is not copied: export GITHUB_TOKEN
      note: the secret in argument 4 is not copied: export GIT_HUB_PASSWORD
  + api  http  https://example.com/mcp?api_key=${API_API_KEY}
      header X-Opaque = env:API_X_OPAQUE
      bearer = env:API_AUTHORIZATION
      note: the secret in header `Authorization` is not copied: export API_AUTHORIZATION
      note: the secret in header `X-Opaque` is not copied: export API_X_OPAQUE
      note: the secret in the URL is not copied: export API_API_KEY
  + db  stdio  db-mcp postgres://me:${DB_PASSWORD}@localhost/shop
      note: the secret in argument 1 is not copied: export DB_PASSWORD
"
    );
}

#[tokio::test]
async fn variables_stand_for_secrets() {
    let world = world();
    let env = ["--yes", "--secrets", "env"];
    world.import(&env).await.done().hides(&SECRETS).says(&["Added 3 servers to "]);
    let written = world.read(".config/toolscout/config.toml");
    assert!(SECRETS.iter().all(|secret| !written.contains(secret)), "{written}");
    assert!(
        written.contains("[servers.git-hub]") && written.contains("env:GITHUB_TOKEN"),
        "{written}"
    );
    assert!(written.contains("quiet-please"), "values that are not secret are copied: {written}");
    world
        .import(&env)
        .await
        .done()
        .says(&["Nothing to add."])
        .shows(&["= Git Hub  already configured as git-hub"]);
    assert_eq!(world.read(".config/toolscout/config.toml"), written);
}

#[tokio::test]
async fn files_of_their_own_hold_secrets() {
    let world = world();
    world.import(&["--yes"]).await.done().hides(&SECRETS);
    let written = world.read(".config/toolscout/config.toml");
    assert!(SECRETS.iter().all(|secret| !written.contains(secret)), "{written}");
    let folder = world.path(".config/toolscout/secrets");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    names.sort();
    let secrets: Vec<_> =
        names.iter().map(|name| std::fs::read_to_string(name).expect("a secret")).collect();
    let expected = [
        "https://example.com/mcp?api_key=k-123",
        "sk-proj-0123456789abcdef",
        "q9w8e7r6t5y4u3i2o1p0a9s8d7f6g5h4",
        "postgres://me:p4ss@localhost/shop",
        "ghp_Ab3dEf6hIj9lMn2pQr5tUv8x",
        "hunter2",
    ];
    assert_eq!(secrets, expected);
    for (path, mode) in names.iter().map(|name| (name, 0o600)).chain([(&folder, 0o700)]) {
        let there = std::fs::metadata(path).expect("the path exists").permissions().mode() & 0o777;
        assert_eq!(there, mode, "{}", path.display());
        assert!(
            *path == folder || written.contains(&format!("file:{}", path.display())),
            "{written}"
        );
    }
    world.import(&["--yes"]).await.done().says(&["Nothing to add."]);
    assert_eq!(world.read(".config/toolscout/config.toml"), written);
}

#[tokio::test]
async fn secrets_are_copied_only_if_somebody_insists_and_shown_never() {
    let world = world();
    let ran = world.import(&["--yes", "--secrets", "keep"]).await.done().hides(&SECRETS);
    assert!(
        ran.out.contains("--password '[REDACTED]'") && ran.out.contains("me:[REDACTED]@"),
        "{}",
        ran.out
    );
    let written = world.read(".config/toolscout/config.toml");
    assert!(SECRETS.iter().all(|secret| written.contains(secret)), "{written}");
}

#[tokio::test]
async fn json_says_the_same() {
    let world = world();
    let ran = world.import(&["--json", "--only", "db=shop", "--yes"]).await.done().hides(&SECRETS);
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(report["written"], true);
    let server = &report["servers"][0];
    assert_eq!(
        (&server["id"], &server["action"], &server["transport"]),
        (&"shop".into(), &"add".into(), &"stdio".into())
    );
    assert_eq!(report["servers"].as_array().map(Vec::len), Some(1));
    assert!(world.read(".config/toolscout/config.toml").contains("[servers.shop]"));
}

#[tokio::test]
async fn servers_go_into_the_file_of_the_scope_they_come_from() {
    let project = r#"{"mcpServers": {"here": {"command": "c"}}}"#;
    let world = world().file("desk/.vscode/mcp.json", &project.replace("mcpServers", "servers"));
    world.import(&["--yes"]).await.done().says(&["config.toml and ", "desk/toolscout.toml"]);
    assert!(world.read(".config/toolscout/config.toml").contains("[servers.db]"));
    assert_eq!(world.read("desk/toolscout.toml"), "[servers.here]\ncommand = \"c\"\n");
    let world = World::new().file("desk/.cursor/mcp.json", project);
    world.import(&["--yes", "--global"]).await.done();
    assert!(world.read(".config/toolscout/config.toml").contains("[servers.here]"));
    assert_eq!(world.read("desk/toolscout.toml"), "(no file)");
}

#[tokio::test]
async fn a_folder_to_start_in_stays_the_same_folder() {
    let world = World::new()
        .file("desk/.cursor/mcp.json", r#"{"mcpServers": {"x": {"command": "c", "cwd": "sub"}}}"#);
    world.import(&["--yes"]).await.done();
    assert!(world.read("desk/toolscout.toml").contains("cwd = \"sub\""));
    world.import(&["--yes"]).await.done().says(&["Nothing to add."]);
    world.import(&["--yes", "--global"]).await.done();
    let expected = format!("cwd = \"{}\"", world.path("desk/sub").display());
    assert!(world.read(".config/toolscout/config.toml").contains(&expected));
    world.import(&["--yes", "--global"]).await.done().says(&["Nothing to add."]);
}

#[tokio::test]
async fn what_our_file_holds_already_stays_as_it_is() {
    let world = World::new()
        .file("desk/toolscout.toml", "# mine\nroots = [\"default\"]   # here\n\n[servers.a] # a\ncommand = 'a'\ntools = { x = \"ask\" }\n")
        .file("desk/.mcp.json", r#"{"mcpServers": {"shared": {"command": "s"}}}"#)
        .file(
            "desk/.cursor/mcp.json",
            r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}, "other": {"command": "s"}, "shared": {"command": "t"}}}"#,
        );
    world.import(&["--yes"]).await.done().shows(&[
        "= a  already configured\n",
        "+ b  stdio  b\n",
        "= other  already configured as shared\n",
        "- shared  skipped: `shared` is already configured differently\n      hint: use --only 'shared=shared-2' to import it under another id\n",
        "Claude Code  ",
        "reads this file directly",
    ]);
    assert_eq!(
        world.read("desk/toolscout.toml"),
        "# mine\nroots = [\"default\"]   # here\n\n[servers.a] # a\ncommand = 'a'\ntools = { x = \"ask\" }\n\n[servers.b]\ncommand = \"b\"\n"
    );
}

#[tokio::test]
async fn any_file_of_a_known_shape_is_read() {
    let shapes = [
        ("a.json", r#"{"mcpServers": {"x": {"command": "c"}}}"#, "Claude Code"),
        ("b.json", r#"{"servers": {"x": {"command": "c"}}}"#, "VS Code"),
        ("c.jsonc", r#"{"mcp": {"x": {"type": "local", "command": ["c"]}}}"#, "OpenCode"),
        ("d.json", r#"{"context_servers": {"x": {"command": {"path": "c"}}}}"#, "Zed"),
        ("e.toml", "[mcp_servers.x]\ncommand = \"c\"\n", "Codex"),
        (
            "f.json",
            r#"{"mcpServers": {"x": {"command": "c"}, "y": {"httpUrl": "https://x"}}}"#,
            "Gemini CLI",
        ),
        (
            "g.json",
            r#"{"mcpServers": {"x": {"command": "c"}, "y": {"serverUrl": "https://x"}}}"#,
            "Windsurf",
        ),
        ("cline_mcp_settings.json", r#"{"mcpServers": {"x": {"command": "c"}}}"#, "Cline"),
    ];
    for (name, text, title) in shapes {
        let world = World::new().file(&format!("desk/{name}"), text);
        world
            .import(&["--file", name])
            .await
            .done()
            .shows(&[&format!("{title}  "), "+ x  stdio  c\n"]);
    }
    let world = World::new().file("desk/none.json", "{}").file("desk/bad.json", "{");
    for name in ["none.json", "bad.json", "missing.json"] {
        let ran = world.import(&["--file", name]).await.says(&["cannot be imported"]);
        assert_eq!(ran.exit, Exit::Usage, "{ran:?}");
    }
}

#[tokio::test]
async fn nothing_to_find_is_no_failure() {
    let world = World::new();
    world.import(&[]).await.done().says(&["No configuration of another program found."]);
    world
        .import(&["--verbose", "cursor"])
        .await
        .done()
        .says(&["not found: ", "/desk/.cursor/mcp.json"]);
    let ran = world.import(&["nobody"]).await;
    assert_eq!(ran.exit, Exit::Usage);
    let ran =
        world.import(&["--only", "nobody"]).await.says(&["no server `nobody` found to import"]);
    assert_eq!(ran.exit, Exit::NotFound);
    let ran = world.import(&["--only", "a=Not Valid"]).await.says(&["--only 'a=not-valid'"]);
    assert_eq!(ran.exit, Exit::Usage);
}

#[tokio::test]
async fn what_others_wrote_cannot_move_the_cursor() {
    let world = World::new().file(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a\u001b[2Jb": {"command": "x\u001b[31m", "args": ["\u202e"], "env": {"E\u0007": "env:\u001b"}, "k\u001b": 1}}}"#,
    );
    let ran = world.import(&[]).await.done();
    let is_clean =
        |text: &str| !text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}');
    assert!(is_clean(&ran.out) && is_clean(&ran.err), "{ran:?}");
}
