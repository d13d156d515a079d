//! Edits of servers, policies and settings by commands.

use super::*;
use crate::ConfigScope;
use toolscout_mcp_client::{ServerConfig, ServerTransport};

struct Folder(tempfile::TempDir);

impl Folder {
    fn with_file(name: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(name), text).expect("written");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file exists")
    }

    fn editor(&self) -> ConfigEditor {
        ConfigEditor::new(Some(self.path("state")))
    }

    fn configured(&self, name: &str, keys: &[&str]) -> ConfiguredServer {
        let id = SourceId::new(keys[keys.len() - 1]).expect("an id");
        ConfiguredServer {
            server: ServerConfig::new(id, ServerTransport::Stdio(Default::default())),
            scope: ConfigScope::Project,
            file: self.path(name),
            path: key_path(keys),
            may_start: true,
            change: None,
        }
    }
}

fn id(id: &str) -> SourceId {
    SourceId::new(id).expect("an id")
}

fn command(command: &str) -> ServerEntry {
    ServerEntry { command: Some(command.to_owned()), ..ServerEntry::default() }
}

#[test]
fn an_existing_server_is_replaced_only_with_replace() {
    let folder = Folder::with_file("toolscout.toml", "[servers.a]\ncommand = \"x\"\n");
    let file = folder.path("toolscout.toml");
    let error = folder
        .editor()
        .add_server(&file, &id("a"), &command("y"), false)
        .expect_err("the server already exists");
    assert!(error.to_string().contains("already has a server `a`"), "{error}");
    folder.editor().add_server(&file, &id("a"), &command("y"), true).expect("replaced");
    folder.editor().add_server(&file, &id("b"), &command("z"), false).expect("added");
    assert_eq!(
        folder.text("toolscout.toml"),
        "[servers.a]\ncommand = \"y\"\n\n[servers.b]\ncommand = \"z\"\n"
    );
}

#[test]
fn a_missing_file_is_created_with_its_folder() {
    let folder = Folder::with_file("unrelated", "");
    let file = folder.path("deep/down/config.toml");
    folder.editor().add_server(&file, &id("a"), &command("x"), false).expect("added");
    assert_eq!(folder.text("deep/down/config.toml"), "[servers.a]\ncommand = \"x\"\n");
    let names: Vec<_> =
        std::fs::read_dir(folder.path("deep/down")).expect("the folder exists").flatten().collect();
    assert_eq!(names.len(), 1, "no temporary file remains");
}

#[test]
fn a_new_server_is_added_to_the_existing_json_table() {
    let folder = Folder::with_file("toolscout.json", "{\"mcpServers\": {}}");
    folder
        .editor()
        .add_server(&folder.path("toolscout.json"), &id("a"), &command("x"), false)
        .expect("added");
    assert!(
        folder.text("toolscout.json").starts_with("{\"mcpServers\": {\n"),
        "{}",
        folder.text("toolscout.json")
    );
}

#[test]
fn servers_in_files_of_other_programs_are_edited_in_place() {
    let text = "{\n  // ours\n  \"mcpServers\": {\n    \"My Mail\": {\"command\": \"x\"},\n    \"b\": {\"command\": \"y\", \"disabled\": true}\n  }\n}\n";
    let folder = Folder::with_file(".mcp.json", text);
    let mut mail = folder.configured(".mcp.json", &["mcpServers", "mail"]);
    mail.path = key_path(&["mcpServers", "My Mail"]);
    folder.editor().set_enabled(&mail, true).expect("no change is needed");
    assert_eq!(folder.text(".mcp.json"), text);
    folder.editor().set_enabled(&mail, false).expect("disabled");
    assert!(folder.text(".mcp.json").contains("{\"command\": \"x\", \"enabled\": false}"));
    folder.editor().set_enabled(&mail, true).expect("enabled");
    assert!(folder.text(".mcp.json").contains("{\"command\": \"x\", \"enabled\": true}"));
    folder
        .editor()
        .set_enabled(&folder.configured(".mcp.json", &["mcpServers", "b"]), true)
        .expect("enabled");
    assert!(folder.text(".mcp.json").contains("{\"command\": \"y\", \"disabled\": false}"));
    folder.editor().remove_server(&mail).expect("removed");
    assert!(
        !folder.text(".mcp.json").contains("My Mail")
            && folder.text(".mcp.json").contains("// ours")
    );
    let error = folder.editor().remove_server(&mail).expect_err("the server is already removed");
    assert!(error.to_string().contains("no longer has a server"), "{error}");
}

#[test]
fn a_policy_is_written_to_the_server_entry_or_the_policies_table() {
    let folder = Folder::with_file(
        "toolscout.toml",
        "[policies]\n\"a/read\" = \"deny\"\n\n[servers.a]\ncommand = \"x\"\n",
    );
    let (editor, file) = (folder.editor(), folder.path("toolscout.toml"));
    editor.set_policy(&file, "a/read", Some(Policy::Ask), &Policy::ALL).expect("set");
    editor.set_policy(&file, "a/*", Some(Policy::Deny), &Policy::ALL).expect("set");
    editor.set_policy(&file, "other/rm", Some(Policy::Disable), &Policy::ALL).expect("set");
    assert_eq!(
        folder.text("toolscout.toml"),
        "[policies]\n\"other/rm\" = \"disable\"\n\n[servers.a]\ncommand = \"x\"\ntools = { read = \"ask\", \"*\" = \"deny\" }\n"
    );
    editor.set_policy(&file, "a/read", None, &Policy::ALL).expect("the policy is removed");
    editor.set_policy(&file, "other/rm", None, &Policy::ALL).expect("the policy is removed");
    editor.set_policy(&file, "other/rm", None, &Policy::ALL).expect("no change is needed");
    assert_eq!(
        folder.text("toolscout.toml"),
        "[policies]\n\n[servers.a]\ncommand = \"x\"\ntools = { \"*\" = \"deny\" }\n"
    );
}

#[test]
fn editing_yaml_is_refused_with_the_text_to_add() {
    let text = "# mine\nservers: {}\n";
    let folder = Folder::with_file("toolscout.yaml", text);
    let error = folder
        .editor()
        .add_server(&folder.path("toolscout.yaml"), &id("a"), &command("x"), false)
        .expect_err("YAML");
    assert!(error.to_string().contains("is YAML"), "{error}");
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains("servers:\n  a:\n    command: x"), "{hint}");
    assert_eq!(folder.text("toolscout.yaml"), text);
}

/// D-24: a file that does not parse is never overwritten.
#[test]
fn a_file_that_does_not_parse_is_not_overwritten() {
    for (name, text) in
        [("toolscout.toml", "[servers.a\ncommand = 1\n"), ("x.json", "{\"servers\": {")]
    {
        let folder = Folder::with_file(name, text);
        let error = folder
            .editor()
            .add_server(&folder.path(name), &id("a"), &command("x"), true)
            .expect_err("the file is invalid");
        assert!(
            error.to_string().contains(name) && error.to_string().contains("line 1 column"),
            "{error}"
        );
        assert_eq!(folder.text(name), text);
    }
}

#[test]
fn a_layout_that_cannot_be_edited_is_left_unchanged() {
    let folder = Folder::with_file("toolscout.toml", "servers = 5\n");
    let error = folder
        .editor()
        .add_server(&folder.path("toolscout.toml"), &id("a"), &command("x"), false)
        .expect_err("the layout is not supported");
    assert!(error.to_string().contains("cannot be edited safely"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("edit `servers.a` in it by hand"));
    assert_eq!(folder.text("toolscout.toml"), "servers = 5\n");
}

#[test]
fn an_edit_that_adds_a_warning_is_refused() {
    let text = "strict = true\n\n[servers.odd]\nargs = []\n";
    let folder = Folder::with_file("toolscout.toml", text);
    let (editor, file) = (folder.editor(), folder.path("toolscout.toml"));
    let both = ServerEntry { url: Some("https://example.com".to_owned()), ..command("x") };
    let error = editor.add_server(&file, &id("a"), &both, false).expect_err("the entry is invalid");
    assert!(error.to_string().contains("would become invalid: server `a`: it has both"), "{error}");
    let error = editor
        .edit(&file, |_| Ok(vec![set(&["strict"], json!("yes"))]))
        .expect_err("the setting is invalid");
    assert!(
        error.to_string().contains("`strict` is a string; it must be true or false"),
        "{error}"
    );
    let error = editor
        .edit(&file, |_| Ok(vec![set(&["profiles", "p"], json!({"modes": 1}))]))
        .expect_err("the profile is invalid");
    assert!(error.to_string().contains("`modes` is an unknown key"), "{error}");
    assert_eq!(folder.text("toolscout.toml"), text);
    editor.add_server(&file, &id("a"), &command("x"), false).expect("the file was invalid before");
}

#[test]
fn a_file_with_an_invalid_setting_is_not_edited() {
    let folder = Folder::with_file("toolscout.toml", "strict = 1\n");
    let file = folder.path("toolscout.toml");
    let error =
        folder.editor().add_server(&file, &id("a"), &command("x"), false).expect_err("unreadable");
    assert!(error.to_string().contains("cannot be read: `strict` is `1`"), "{error}");
    assert_eq!(folder.text("toolscout.toml"), "strict = 1\n");
}

#[test]
fn a_policy_looser_than_its_parents_is_refused() {
    let folder = Folder::with_file("toolscout.toml", "");
    let file = folder.path("toolscout.toml");
    let allowed = [Policy::Deny, Policy::Disable];
    let error = folder
        .editor()
        .set_policy(&file, "a/b", Some(Policy::Ask), &allowed)
        .expect_err("the policy is too loose");
    assert!(error.to_string().contains("`ask` is looser"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("at this level, use deny, disable"));
    folder.editor().set_policy(&file, "*", Some(Policy::Deny), &allowed).expect("set");
    assert_eq!(folder.text("toolscout.toml"), "[policies]\n\"*\" = \"deny\"\n");
}
