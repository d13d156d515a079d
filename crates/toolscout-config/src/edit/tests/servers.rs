//! Edits of servers, policies and settings by commands.

use super::*;
use crate::ConfigScope;
use toolscout_mcp_client::{ServerConfig, ServerTransport};

struct Folder(tempfile::TempDir);

impl Folder {
    fn of(name: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(name), text).expect("written");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("there")
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
            path: path(keys),
            may_start: true,
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
fn a_server_that_is_there_is_replaced_only_on_demand() {
    let folder = Folder::of("toolscout.toml", "[servers.a]\ncommand = \"x\"\n");
    let file = folder.path("toolscout.toml");
    let error =
        folder.editor().put_server(&file, &id("a"), &command("y"), false).expect_err("it is there");
    assert!(error.to_string().contains("has a server `a` already"), "{error}");
    folder.editor().put_server(&file, &id("a"), &command("y"), true).expect("replaced");
    folder.editor().put_server(&file, &id("b"), &command("z"), false).expect("added");
    assert_eq!(
        folder.text("toolscout.toml"),
        "[servers.a]\ncommand = \"y\"\n\n[servers.b]\ncommand = \"z\"\n"
    );
}

#[test]
fn a_file_that_is_not_there_is_made_with_its_folder() {
    let folder = Folder::of("unrelated", "");
    let file = folder.path("deep/down/config.toml");
    folder.editor().put_server(&file, &id("a"), &command("x"), false).expect("added");
    assert_eq!(folder.text("deep/down/config.toml"), "[servers.a]\ncommand = \"x\"\n");
    let names: Vec<_> =
        std::fs::read_dir(folder.path("deep/down")).expect("there").flatten().collect();
    assert_eq!(names.len(), 1, "nothing is left beside it");
}

#[test]
fn servers_of_a_json_file_go_where_its_servers_are() {
    let folder = Folder::of("toolscout.json", "{\"mcpServers\": {}}");
    folder
        .editor()
        .put_server(&folder.path("toolscout.json"), &id("a"), &command("x"), false)
        .expect("added");
    assert!(
        folder.text("toolscout.json").starts_with("{\"mcpServers\": {\n"),
        "{}",
        folder.text("toolscout.json")
    );
}

#[test]
fn a_server_of_another_programs_file_is_turned_off_on_and_out_there() {
    let text = "{\n  // ours\n  \"mcpServers\": {\n    \"My Mail\": {\"command\": \"x\"},\n    \"b\": {\"command\": \"y\", \"disabled\": true}\n  }\n}\n";
    let folder = Folder::of(".mcp.json", text);
    let mut mail = folder.configured(".mcp.json", &["mcpServers", "mail"]);
    mail.path = path(&["mcpServers", "My Mail"]);
    folder.editor().set_enabled(&mail, true).expect("nothing to do");
    assert_eq!(folder.text(".mcp.json"), text);
    folder.editor().set_enabled(&mail, false).expect("off");
    assert!(folder.text(".mcp.json").contains("{\"command\": \"x\", \"enabled\": false}"));
    folder.editor().set_enabled(&mail, true).expect("on");
    assert!(folder.text(".mcp.json").contains("{\"command\": \"x\", \"enabled\": true}"));
    folder
        .editor()
        .set_enabled(&folder.configured(".mcp.json", &["mcpServers", "b"]), true)
        .expect("on");
    assert!(folder.text(".mcp.json").contains("{\"command\": \"y\", \"disabled\": false}"));
    folder.editor().remove_server(&mail).expect("out");
    assert!(
        !folder.text(".mcp.json").contains("My Mail")
            && folder.text(".mcp.json").contains("// ours")
    );
    let error = folder.editor().remove_server(&mail).expect_err("it is gone");
    assert!(error.to_string().contains("has no server"), "{error}");
}

#[test]
fn a_policy_goes_to_the_entry_or_to_the_rules() {
    let folder = Folder::of(
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
    editor.set_policy(&file, "a/read", None, &Policy::ALL).expect("taken back");
    editor.set_policy(&file, "other/rm", None, &Policy::ALL).expect("taken back");
    editor.set_policy(&file, "other/rm", None, &Policy::ALL).expect("nothing to do");
    assert_eq!(
        folder.text("toolscout.toml"),
        "[policies]\n\n[servers.a]\ncommand = \"x\"\ntools = { \"*\" = \"deny\" }\n"
    );
}

#[test]
fn yaml_is_left_to_people_who_are_told_what_to_write() {
    let text = "# mine\nservers: {}\n";
    let folder = Folder::of("toolscout.yaml", text);
    let error = folder
        .editor()
        .put_server(&folder.path("toolscout.yaml"), &id("a"), &command("x"), false)
        .expect_err("YAML");
    assert!(error.to_string().contains("is YAML"), "{error}");
    let hint = error.hint().unwrap_or_default();
    assert!(hint.contains("servers:\n  a:\n    command: x"), "{hint}");
    assert_eq!(folder.text("toolscout.yaml"), text);
}

/// D-24: a file that does not parse is never overwritten.
#[test]
fn a_broken_file_is_left_as_it_is() {
    for (name, text) in
        [("toolscout.toml", "[servers.a\ncommand = 1\n"), ("x.json", "{\"servers\": {")]
    {
        let folder = Folder::of(name, text);
        let error = folder
            .editor()
            .put_server(&folder.path(name), &id("a"), &command("x"), true)
            .expect_err("broken");
        assert!(
            error.to_string().contains(name) && error.to_string().contains("line 1 column"),
            "{error}"
        );
        assert_eq!(folder.text(name), text);
    }
}

#[test]
fn what_cannot_be_changed_safely_is_left_alone() {
    let folder = Folder::of("toolscout.toml", "servers = 5\n");
    let error = folder
        .editor()
        .put_server(&folder.path("toolscout.toml"), &id("a"), &command("x"), false)
        .expect_err("odd");
    assert!(error.to_string().contains("cannot be changed safely"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("change `servers.a` in it by hand"));
    assert_eq!(folder.text("toolscout.toml"), "servers = 5\n");
}

#[test]
fn an_edit_that_the_reader_would_complain_about_is_refused() {
    let text = "strict = true\n\n[servers.odd]\nargs = []\n";
    let folder = Folder::of("toolscout.toml", text);
    let (editor, file) = (folder.editor(), folder.path("toolscout.toml"));
    let both = ServerEntry { url: Some("https://example.com".to_owned()), ..command("x") };
    let error = editor.put_server(&file, &id("a"), &both, false).expect_err("no server");
    assert!(
        error.to_string().contains("would not be valid any more: server `a`: it has both"),
        "{error}"
    );
    let error =
        editor.edit(&file, |_| Ok(vec![set(&["strict"], json!("yes"))])).expect_err("no setting");
    assert!(error.to_string().contains("`strict` is a text; it must be true or false"), "{error}");
    let error = editor
        .edit(&file, |_| Ok(vec![set(&["profiles", "p"], json!({"modes": 1}))]))
        .expect_err("no profile");
    assert!(error.to_string().contains("`modes` is an unknown key"), "{error}");
    assert_eq!(folder.text("toolscout.toml"), text);
    editor
        .put_server(&file, &id("a"), &command("x"), false)
        .expect("what was invalid before may stay so");
}

#[test]
fn a_file_with_an_invalid_setting_is_not_edited() {
    let folder = Folder::of("toolscout.toml", "strict = 1\n");
    let file = folder.path("toolscout.toml");
    let error =
        folder.editor().put_server(&file, &id("a"), &command("x"), false).expect_err("unreadable");
    assert!(error.to_string().contains("cannot be read: `strict` is `1`"), "{error}");
    assert_eq!(folder.text("toolscout.toml"), "strict = 1\n");
}

#[test]
fn a_policy_looser_than_its_parents_is_refused() {
    let folder = Folder::of("toolscout.toml", "");
    let file = folder.path("toolscout.toml");
    let allowed = [Policy::Deny, Policy::Disable];
    let error =
        folder.editor().set_policy(&file, "a/b", Some(Policy::Ask), &allowed).expect_err("looser");
    assert!(error.to_string().contains("`ask` is looser"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("this level may say deny, disable"));
    folder.editor().set_policy(&file, "*", Some(Policy::Deny), &allowed).expect("set");
    assert_eq!(folder.text("toolscout.toml"), "[policies]\n\"*\" = \"deny\"\n");
}
