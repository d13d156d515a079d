//! 1. A set is read from a folder, and its tools from another folder if it names one.
//! 2. Oddities are reported; a set that cannot be measured is an error.

use crate::plugins::bench::set::Set;
use std::fs;
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_set_may_use_the_tools_of_another_folder() {
    let top = tempfile::tempdir().unwrap();
    let (first, second) = (top.path().join("first"), top.path().join("second"));
    write(
        &first,
        "tools.jsonl",
        "{\"id\": \"a\", \"server\": null}\n{\"id\": \"b\", \"name\": \"B\"}\n",
    );
    write(
        &second,
        "queries.jsonl",
        "{\"id\": \"1\", \"query\": \"be\", \"relevant\": [\"b\", \"b\"], \"other\": 1}\n",
    );
    write(&second, "TOOLS", "The tools are those of ../first.\n");
    let set = Set::read(&second).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((set.name.as_str(), set.tools.len(), set.notes.len()), ("second", 2, 0));
    assert_eq!([set.tools[0].name(), set.tools[1].name()], ["a", "B"]);
    assert_eq!(set.queries[0].relevant, ["b"]);
}

#[test]
fn what_is_odd_is_said() {
    let top = tempfile::tempdir().unwrap();
    write(top.path(), "tools.jsonl", "{\"id\": \"a\"}\n{\"id\": \"a\", \"name\": \"again\"}\n");
    let queries = "{\"id\": \"1\", \"query\": \"x\", \"relevant\": [\"a\", \"gone\"]}\n{\"id\": \"2\", \"query\": \"y\", \"relevant\": []}\n";
    write(top.path(), "queries.jsonl", queries);
    let set = Set::read(top.path()).unwrap_or_else(|error| panic!("{error}"));
    let notes = [
        "duplicate tool `a`; the first one is used",
        "1 of 2 queries name no relevant tool and are skipped",
        "1 relevant ids match no tool and count as not found; the first is `gone`",
    ];
    assert_eq!(set.notes, notes);
    assert_eq!((set.tools.len(), set.queries.len()), (1, 1));
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let top = tempfile::tempdir().unwrap();
    let wrong =
        |folder: &Path| Set::read(folder).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(
        wrong(top.path()).starts_with("there is neither `queries.jsonl` nor `queries.jsonl.gz` in")
    );
    write(
        top.path(),
        "queries.jsonl",
        "{\"id\": \"1\", \"query\": \"x\", \"relevant\": [\"a\"]}\n",
    );
    assert!(wrong(top.path()).starts_with("there is neither `tools.jsonl` nor"));
    write(top.path(), "tools.jsonl", "\n");
    assert!(
        wrong(top.path()).ends_with("has 0 tools and 1 usable queries"),
        "{}",
        wrong(top.path())
    );
    write(top.path(), "tools.jsonl", "{\"id\": \"\"}\n");
    assert_eq!(wrong(top.path()), "tool 1 has an empty id");
    write(top.path(), "tools.jsonl", "{\"name\": \"a\"}\n");
    assert!(wrong(top.path()).contains("line 1: missing field `id`"), "{}", wrong(top.path()));
}
