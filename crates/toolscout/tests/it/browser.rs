//! Tests of the web UI in a real headless Chromium:
//! 1. An operator follows a discovery, adds a server, finds a tool, calls it, changes its policy
//!    and approves a call.
//! 2. The UI renders all content of servers as text.
//! 3. Everything works with the keyboard, and axe-core finds no serious problem in any view, light
//!    or dark, wide or narrow.
//! 4. A user who is not signed in sees only how to sign in.
//! 5. With several projects, a switch selects the one that the UI shows.
//! 6. States, counts and outcomes are true, also for servers with private lists.
//! 7. A new user adds, breaks, repairs and approves a server, follows and cancels a call.
//! 8. Preferences are kept, and a banner says that the server is gone.
//! 9. The form of a tool has a bounded number of fields.
//! 10. What the sandbox denied to a server is granted with one click.
//! 11. Files and servers that wait for trust are shown and trusted as they were shown.
//! 12. The wizard of the first run imports servers, connects clients, and can be undone.
//!
//! `tests/browser` has the walks, and the driver of the browser, which needs only node.
//! `TOOLSCOUT_TEST_BROWSER` names the folder where npm installed axe-core from
//! `tests/browser/package.json`; `.ci/run` creates it.

mod site;

use crate::sandbox::READER;
use crate::serve::Web;
use crate::servers::fixture::wait_until;
use crate::world::{World, can_run};
use serde_json::json;

pub(crate) use site::{Site, chromium, walk};
use std::path::PathBuf;

/// A project with a well-behaved server and one that was never discovered.
fn project() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

#[test]
fn an_operator_completes_the_main_tasks_in_the_ui() {
    let Some(chromium) = chromium() else { return };
    let world = project().breakable("slow", "honest", &[]).delay_server("slow");
    let gate = world.path("wait-slow").display().to_string();
    let command = world.hostile("added", "honest", &[]).join(" ");
    let site = Site::open(&world);
    site.walk(&chromium, "path", json!({ "gate": gate, "command": command }));
}

/// The names, descriptions, schemas and results of the modes `html`, `ansi`, `hidden_unicode` and
/// `path_names`.
#[test]
fn server_content_is_rendered_as_text_only() {
    let Some(chromium) = chromium() else { return };
    let modes =
        [("html", "html"), ("ansi", "ansi"), ("hidden", "hidden_unicode"), ("paths", "path_names")];
    let world =
        modes.iter().fold(World::trusted(), |world, (id, mode)| world.server(id, mode, &[]));
    world.run(&["server", "refresh"]).exits(0);
    let site = Site::open(&world);
    let servers = modes.map(|(id, _)| id);
    let report = site.walk(&chromium, "texts", json!({ "servers": servers }));
    assert!(report["tools"].as_u64().is_some_and(|tools| tools > 30), "{report}");
}

#[test]
fn the_ui_works_with_the_keyboard() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    Site::open(&world).walk(&chromium, "keyboard", json!({}));
}

#[test]
fn the_ui_has_no_serious_accessibility_violations() {
    let Some(chromium) = chromium() else { return };
    let folder = std::env::var_os("TOOLSCOUT_TEST_BROWSER").map(PathBuf::from).unwrap_or_default();
    let axe = folder.join("node_modules/axe-core/axe.min.js");
    if !can_run(axe.exists(), "axe-core in TOOLSCOUT_TEST_BROWSER") {
        return;
    }
    let more = "[profiles.work]\ninclude = [\"s/echo\"]\n[servers.locked]\ncommand = \"true\"\nenv = { KEY = \"env:LOCKED_KEY\" }\n";
    let world = project().server("poisoned", "poison_desc", &[]).append_config(more);
    // The server without its secret fails.
    world.run(&["server", "refresh"]);
    world.run(&["policy", "set", "s/echo", "ask"]).exits(0);
    Site::open(&world).walk(&chromium, "look", json!({ "axe": axe }));
}

#[test]
fn visitors_without_a_session_are_told_how_to_sign_in() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    Site::open(&world).walk(&chromium, "visitor", json!({}));
}

/// M-15l
#[test]
fn a_switch_selects_the_project_that_the_ui_shows() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    Site::open(&world).walk(&chromium, "projects", json!({ "single": true }));
    let words = world.hostile("mail", "honest", &[]);
    let mail =
        format!("[servers.mail]\ncommand = {}\nargs = {}\n", json!(words[0]), json!(words[1..]));
    let world = world
        .file("../beta/package.json", "{}")
        .file("../beta/toolscout.toml", &mail)
        .file("../config/config.toml", "[serve]\nprojects = [\"../beta\"]\n");
    world.run(&["--project", "../beta", "server", "refresh"]).exits(0);
    let folder = std::env::var_os("TOOLSCOUT_TEST_BROWSER").map(PathBuf::from);
    let axe = folder.map(|folder| folder.join("node_modules/axe-core/axe.min.js"));
    let axe = axe.filter(|axe| axe.exists());
    Site::open(&world).walk(&chromium, "projects", json!({ "axe": axe }));
}

/// U4
#[test]
fn the_ui_shows_states_counts_and_outcomes_as_they_are() {
    let Some(chromium) = chromium() else { return };
    let more = ["--era", "modern", "--cache-scope", "private", "--ttl-ms", "0"];
    let world =
        project().server("private", "honest", &more).echo("tools/note.tool.toml", "note", "");
    world.run(&["server", "refresh"]).exits(0);
    world.run(&["policy", "set", "s/echo", "ask"]).exits(0);
    Site::open(&world).walk(&chromium, "truth", json!({}));
}

/// U11
#[test]
fn a_new_user_adds_breaks_repairs_and_approves_a_server() {
    let Some(chromium) = chromium() else { return };
    let world = World::trusted();
    let command = world.hostile("demo", "honest", &["--rich"]).join(" ");
    Site::open(&world).walk(&chromium, "repair", json!({ "command": command }));
    assert!(world.request_count("demo", "notifications/cancelled") > 0, "the server was notified");
}

#[test]
fn the_wizard_imports_servers_and_undo_restores_every_file() {
    let Some(chromium) = chromium() else { return };
    let world = World::trusted();
    let words = world.hostile("notes", "honest", &[]);
    let notes = json!({"command": words[0], "args": words[1..], "env": {"API_KEY": "sk-live-4f8a01b2c3d4e5f6"}});
    let claude = json!({"mcpServers": {"notes": notes, "broken": {"command": "/nonexistent"}}});
    let cursor = json!({"mcpServers": {"notes": notes}});
    let files = [("../home/.claude.json", claude), ("../home/.cursor/mcp.json", cursor)];
    let world =
        files.iter().fold(world, |world, (path, value)| world.file(path, &value.to_string()));
    let contents = || files.each_ref().map(|(path, _)| std::fs::read(world.path(path)).ok());
    let before = contents();
    Site::open(&world).walk(&chromium, "wizard", json!({}));
    assert_eq!(contents(), before);
}

#[test]
fn preferences_are_kept_and_profiles_and_tokens_are_shown() {
    let Some(chromium) = chromium() else { return };
    let world = project().append_config("[profiles.work]\ninclude = [\"s/echo\", \"s/add\"]\n");
    Site::open(&world).walk(&chromium, "preferences", json!({}));
}

/// V-119
#[test]
fn what_waits_for_trust_is_shown_and_trusted_in_the_ui() {
    let Some(chromium) = chromium() else { return };
    let schema = json!({"name": "later", "description": "Later", "inputSchema": {}}).to_string();
    let entry = |file: &str| {
        json!({"mcpServers": {"fetch": {"command": "sh", "args": ["-c", format!("touch {file}")]}}})
            .to_string()
    };
    let world = World::project().file(".mcp.json", &entry("first"));
    world.run(&["trust"]).exits(0);
    let world = world.file(".mcp.json", &entry("second"));
    let world = world.program("tools/later", &schema, "echo replaced");
    let file = world.path("tools/later");
    let text = std::fs::read_to_string(&file).expect("the program");
    let world = world.program("tools/later", &schema, "echo shown");
    let site = Site::open(&world);
    site.walk(&chromium, "trust", json!({ "file": file, "text": text }));
    wait_until("the accepted server is started", || world.path("second").exists());
    assert!(!world.path("first").exists());
    world.run(&["trust", "show"]).exits(0).stdout_contains(&[": trusted\n"]);
}

/// V-122
#[test]
fn what_the_sandbox_denied_is_granted_with_one_click() {
    let Some(chromium) = chromium() else { return };
    let world = World::project().confined().file("../home/notes.txt", "mine");
    let world = world.file("../home/.ssh/id_rsa", "key");
    let home = world.temp_dir().canonicalize().expect("its path").join("home");
    let (notes, key) = (home.join("notes.txt"), home.join(".ssh/id_rsa"));
    let both = format!("{} {}", notes.display(), key.display());
    let world = world.file("reader.sh", &READER.replace("FILE", &both));
    world.run(&["server", "add", "late", "--wait", "--", "sh", "reader.sh"]).exits(0);
    world.run(&["run", "late/go"]).exits(1).stderr_contains(&["id_rsa", "notes.txt"]);
    Site::open(&world).walk(&chromium, "grants", json!({ "notes": notes, "key": key }));
    let shown = world.run(&["server", "show", "late", "--json"]).exits(0).json();
    assert_eq!(shown["server"]["sandbox"]["allowRead"], json!([notes]));
}

/// Twenty properties that each have twenty properties, four levels deep, would be 168,420 fields.
#[test]
fn the_form_of_a_tool_has_a_bounded_number_of_fields() {
    let Some(chromium) = chromium() else { return };
    let properties: String =
        (0..20).map(|n| format!("p{n} = {{ \"$ref\" = \"#/$defs/node\" }}, ")).collect();
    let node = format!("type = \"object\", properties = {{ {properties} }}");
    let schema = format!("input_schema = {{ {node}, \"$defs\" = {{ node = {{ {node} }} }} }}");
    let world = project().echo("tools/wide.tool.toml", "wide", &schema);
    Site::open(&world).walk(&chromium, "form", json!({}));
}

/// The page needs no session here, so it continues after a restart.
#[test]
fn a_banner_tells_that_the_server_is_gone_until_it_is_back() {
    let Some(chromium) = chromium() else { return };
    let world = project();
    let first = Web::open(&world, &[]);
    let addr = first.addr.clone();
    let (opened, seen) = (world.path("opened"), world.path("seen"));
    let given = json!({ "opened": opened, "seen": seen });
    std::thread::scope(|scope| {
        let walk = scope.spawn(|| {
            walk(&world, &chromium, "offline", &format!("http://{addr}/"), given);
        });
        wait_until("the page is open", || opened.exists() || walk.is_finished());
        drop(first);
        wait_until("the banner was seen", || seen.exists() || walk.is_finished());
        let _second = Web::start_at(&world, &addr, &["--auth", "none"]);
        walk.join().expect("the browser script succeeds");
    });
}
