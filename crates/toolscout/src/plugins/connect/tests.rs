//! Both commands, from the command line to the files on disk.

use crate::{App, Captured, Environment, plugins};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use toolscout_surface::codes::Exit;

/// A realistic file: comments, irregular spaces, a server, and other settings.
const ORIGINAL: &str = "{\n    \"other\": {\"deep\":[1,2 ,3]},   // mine\n    \"mcpServers\": {\n        \"docs\": { \"command\": \"npx\", \"args\": [\"-y\"] } // keep\n    }\n}";

/// A home folder, and a program that runs there repeatedly.
struct Home {
    dir: TempDir,
    app: App,
    captured: Captured,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let home = dir.path().canonicalize().expect("its real path");
        fs::create_dir_all(home.join("desk")).expect("make a folder");
        let vars = [("HOME", home.to_str().expect("a text"))];
        let (environment, captured) = Environment::captured(&home.join("desk"), &vars);
        let app =
            App::builder("toolscout").plugin(plugins::Connect).environment(environment).build();
        Self { dir, app: app.expect("the app builds"), captured }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("its real path").join(path)
    }

    fn file(self, path: &str, text: &str) -> Self {
        let file = self.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("make folders");
        fs::write(file, text).expect("write a file");
        self
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|_| "(no file)".to_owned())
    }

    /// The output, the messages and the exit code of a run.
    async fn run(&self, args: &[&str]) -> (String, String, Exit) {
        let (out, err) = (self.captured.out().len(), self.captured.err().len());
        let exit = self.app.run(args.iter().copied()).await;
        (self.captured.out().split_off(out), self.captured.err().split_off(err), exit)
    }

    /// Like [`Home::run`], for a run that must succeed.
    async fn done(&self, args: &[&str]) -> (String, String) {
        let (out, err, exit) = self.run(args).await;
        assert_eq!(exit, Exit::Done, "{args:?}: {out}{err}");
        (out, err)
    }
}

#[tokio::test]
async fn connecting_and_disconnecting_leave_no_trace() {
    let home = Home::new().file(".cursor/mcp.json", ORIGINAL);
    let (out, err) = home.done(&["connect", "cursor"]).await;
    assert!(out.is_empty() && err.starts_with("Connected Cursor: "), "{err}");
    assert!(home.read(".cursor/mcp.json").contains("\"serve\""));
    assert!(home.done(&["connect", "cursor"]).await.1.starts_with("Cursor is already connected"));
    let restored =
        format!("Disconnected Cursor: restored {}\n", home.path(".cursor/mcp.json").display());
    assert_eq!(home.done(&["disconnect", "cursor"]).await.1, restored);
    assert_eq!(home.read(".cursor/mcp.json"), ORIGINAL);
    assert!(home.done(&["disconnect", "cursor"]).await.1.starts_with("Cursor is not connected"));
}

#[tokio::test]
async fn the_file_we_are_in_is_found_again_among_several() {
    let home = Home::new().file("desk/.opencode/opencode.jsonc", "{\"mcp\": {}}\n");
    home.done(&["connect", "opencode", "--scope", "project"]).await;
    let home = home.file("desk/opencode.json", "{}");
    assert!(
        home.done(&["connect", "opencode", "--scope", "project"])
            .await
            .1
            .contains("is already connected")
    );
    home.done(&["disconnect", "opencode", "--scope", "project"]).await;
    assert_eq!(home.read("desk/.opencode/opencode.jsonc"), "{\"mcp\": {}}\n");
    assert_eq!(home.read("desk/opencode.json"), "{}");
}

#[tokio::test]
async fn a_file_that_broke_since_is_put_back_as_a_whole() {
    let home = Home::new().file(".cursor/mcp.json", "{}\n");
    home.done(&["connect", "cursor"]).await;
    let home = home.file(".cursor/mcp.json", "{ oh no");
    assert_eq!(home.run(&["disconnect", "cursor"]).await.2, Exit::Usage);
    home.done(&["disconnect", "cursor", "--whole"]).await;
    assert_eq!(home.read(".cursor/mcp.json"), "{}\n");
}

#[tokio::test]
async fn a_dry_run_only_shows() {
    let home = Home::new().file(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "hidden-one"}}}}"#,
    );
    let before = home.read(".cursor/mcp.json");
    let (out, err) = home.done(&["connect", "cursor", "--take", "--dry-run"]).await;
    assert!(
        out.contains("\"toolscout\": {")
            && out.contains("+ a  stdio  x")
            && err.contains("Would move 1 server to "),
        "{out}{err}"
    );
    assert!(!out.contains("hidden-one") && !err.contains("hidden-one"));
    home.done(&["disconnect", "cursor", "--dry-run"]).await;
    assert_eq!(home.read(".cursor/mcp.json"), before);
    assert!(!home.path(".config").exists());
}

#[tokio::test]
async fn a_projects_file_is_another_one() {
    let home = Home::new();
    home.done(&["connect", "cursor", "--scope", "project"]).await;
    assert!(home.read("desk/.cursor/mcp.json").contains("toolscout"));
    assert!(home.done(&["disconnect", "cursor"]).await.1.contains("is not connected"));
    assert!(
        home.done(&["disconnect", "cursor", "--scope", "project"])
            .await
            .1
            .contains("which did not exist before")
    );
    assert!(!home.path("desk/.cursor").exists());
    let (_, err, exit) = home.run(&["connect", "windsurf", "--scope", "project"]).await;
    assert_eq!(exit, Exit::Usage);
    assert!(err.contains("Windsurf has no configuration file for the scope `project`"), "{err}");
    let (_, err, exit) = home.run(&["connect"]).await;
    assert_eq!(exit, Exit::Usage);
    assert!(err.contains("CLIENT"), "{err}");
}

#[tokio::test]
async fn taken_servers_are_ours_then_and_theirs_again_later() {
    let original = r#"{
  // Mine.
  "mcpServers": {
    "docs": { "command": "npx", "env": { "API_TOKEN": "t0p-secret" } },
    "chat": { "type": "ws", "url": "wss://x" }, // cannot be taken
    "web": { "url": "https://example.com/mcp" }
  }
}
"#;
    let home = Home::new().file(".cursor/mcp.json", original);
    let (out, err) = home.done(&["connect", "cursor", "--take"]).await;
    assert!(out.contains("- chat  skipped") && err.contains("Moved 2 servers to "), "{out}{err}");
    assert!(!out.contains("t0p-secret") && !err.contains("t0p-secret"));
    let theirs = home.read(".cursor/mcp.json");
    let has = |name: &str| theirs.contains(&format!("\"{name}\""));
    assert!(
        !has("docs")
            && !has("web")
            && has("chat")
            && has("toolscout")
            && theirs.contains("// Mine."),
        "{theirs}"
    );
    let ours = home.read(".config/toolscout/config.toml");
    assert!(
        ours.contains("[servers.docs]")
            && ours.contains("[servers.web]")
            && !ours.contains("t0p-secret"),
        "{ours}"
    );
    assert_eq!(home.read(".config/toolscout/secrets/docs.api_token"), "t0p-secret");
    home.done(&["disconnect", "cursor"]).await;
    assert_eq!(home.read(".cursor/mcp.json"), original);
    assert_eq!(home.read(".config/toolscout/config.toml"), ours);
}

#[tokio::test]
async fn a_file_that_we_read_anyway_loses_nothing_by_being_taken() {
    let original = r#"{"mcpServers": {"docs": {"command": "npx"}}}"#;
    let home = Home::new().file("desk/package.json", "{}").file("desk/.mcp.json", original);
    home.done(&["connect", "claude-code", "--scope", "project", "--take"]).await;
    assert!(!home.read("desk/.mcp.json").contains("docs"));
    assert!(home.read("desk/toolscout.toml").contains("[servers.docs]"));
    home.done(&["disconnect", "claude-code", "--scope", "project"]).await;
    assert_eq!(home.read("desk/.mcp.json"), original);
}

#[tokio::test]
async fn the_list_says_who_is_there_and_who_is_connected() {
    let home =
        Home::new().file(".gemini/settings.json", "{}").file(".codex/config.toml", "= broken");
    home.done(&["connect", "cursor"]).await;
    let (out, _) = home.done(&["connect", "--list"]).await;
    let line = |start: &str| {
        out.lines()
            .find(|line| line.starts_with(start))
            .unwrap_or_else(|| panic!("no {start} in {out}"))
    };
    assert!(
        line("cursor ").contains(" connected ") && line("cursor ").ends_with("/.cursor/mcp.json")
    );
    assert!(line("gemini ").contains(" found ") && line("codex ").contains(" broken "));
    assert_eq!(line("zed "), "zed             not found");
    let (out, _) = home.done(&["connect", "--list", "--json"]).await;
    let lines: Vec<Value> = serde_json::from_str(&out).expect("JSON");
    let cursor = lines.iter().find(|line| line["client"] == "cursor").expect("cursor");
    assert_eq!((&cursor["state"], &cursor["scope"]), (&"connected".into(), &"user".into()));
}
