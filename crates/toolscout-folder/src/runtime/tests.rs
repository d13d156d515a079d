//! 1. Each language has its runtimes, in order of preference; a missing one is reported with a
//!    reason.

use super::{RuntimeKind, choose, find_tsx, version_in};
use std::path::{Path, PathBuf};
use toolscout_test_support::World;

fn chosen(file: &str, installed: &[&str]) -> Result<RuntimeKind, String> {
    let find = |name: &str| installed.contains(&name).then(|| PathBuf::from("/bin").join(name));
    choose(Path::new(file), find).map(|choose| choose.kind)
}

#[test]
fn each_language_has_an_ordered_list_of_runtimes() {
    use RuntimeKind::{Bun, Deno, Node, Python};
    let all = ["python", "python3", "deno", "bun", "node"];
    assert_eq!(chosen("a.mjs", &all), Ok(Node));
    assert_eq!(chosen("a.cjs", &["deno", "bun"]), Ok(Bun));
    assert_eq!(chosen("a.js", &["deno"]), Ok(Deno));
    assert_eq!(chosen("a.ts", &all), Ok(Bun));
    assert_eq!(chosen("a.ts", &["node", "deno"]), Ok(Deno));
    assert_eq!(chosen("a.ts", &["node"]), Ok(Node));
    assert_eq!(chosen("a.py", &["python"]), Ok(Python));
}

#[test]
fn a_missing_runtime_has_a_reason() {
    assert_eq!(
        chosen("a.js", &["python3"]),
        Err("needs node (or bun, or deno), which is not installed".to_owned())
    );
    assert_eq!(
        chosen("a.ts", &[]),
        Err("needs bun, deno or node, none of which is installed".to_owned())
    );
    assert_eq!(chosen("a.py", &["node"]), Err("needs python3, which is not installed".to_owned()));
    assert!(
        chosen("a.rb", &[])
            .expect_err("unknown")
            .contains("not in a language that toolscout can load")
    );
}

#[test]
fn versions_are_parsed() {
    assert_eq!(version_in("v22.18.0\n"), Some((22, 18)));
    assert_eq!(version_in("hello"), None);
}

#[test]
fn tsx_is_found_in_parent_folders() {
    let world = World::new();
    let file = world.file("a/b/tool.ts", "");
    assert_eq!(find_tsx(&file), None);
    world.file("node_modules/tsx/package.json", r#"{"exports":{".":"./dist/my loader.mjs"}}"#);
    let found = find_tsx(&file).expect("tsx is found");
    assert!(
        found.starts_with("file:///") && found.ends_with("/node_modules/tsx/dist/my%20loader.mjs"),
        "{found}"
    );
}
