use super::{RECIPES, copy, follow, insert};
use crate::repo;
use std::fs;

#[test]
fn every_recipe_applies_to_the_tree() {
    let tree = tempfile::tempdir().expect("a folder");
    for recipe in RECIPES {
        let to = tree.path().join(recipe.list.file);
        fs::create_dir_all(to.parent().expect("a folder")).expect("created");
        if !to.exists() {
            fs::copy(repo::root().join(recipe.list.file), &to).expect("copied");
        }
        let folder = recipe.file.map(|(path, _)| tree.path().join(path));
        folder.iter().for_each(|path| {
            fs::create_dir_all(path.parent().expect("a folder")).expect("created")
        });
        follow(recipe, tree.path()).unwrap_or_else(|error| panic!("{}: {error:#}", recipe.adds));
    }
}

#[test]
fn every_recipe_is_a_row_of_the_table_in_contributing() {
    let page = fs::read_to_string(repo::root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    for recipe in RECIPES {
        assert!(
            page.contains(&format!("\n| {}", recipe.adds)),
            "no row begins with `{}`",
            recipe.adds
        );
    }
}

#[test]
fn a_line_is_added_after_the_first_that_matches_with_its_indentation() {
    let text = "list = [\n    one,\n    one,\n];\n";
    assert_eq!(
        insert(text, "one,", "two,").expect("found"),
        "list = [\n    one,\n    two,\n    one,\n];\n"
    );
    assert!(insert(text, "three,", "two,").is_err());
}

#[test]
fn the_copy_has_what_people_wrote_and_no_build_output() {
    let (root, tree) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    fs::create_dir_all(root.path().join("target/debug")).expect("created");
    fs::write(root.path().join("target/debug/program"), "").expect("written");
    fs::write(root.path().join("Cargo.toml"), "[workspace]").expect("written");
    copy(root.path(), tree.path()).expect("copied");
    assert!(tree.path().join("Cargo.toml").exists() && !tree.path().join("target").exists());
}
