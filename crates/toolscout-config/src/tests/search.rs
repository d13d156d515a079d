//! Search settings.

use super::*;
use toolscout_core::Language;

fn settings(user: &str, project: &str) -> SearchSettings {
    let world = World::of("user/config.toml", user).file("project/toolscout.toml", project);
    world.read().settings.search
}

#[test]
fn what_a_project_says_about_search_counts_and_the_rest_is_the_persons() {
    assert_eq!(settings("", ""), SearchSettings::default());
    let found = settings(
        "[search]\nsemantic = false\nlanguage = \"french\"\n",
        "[search]\nlanguage = \"german\"\n",
    );
    assert_eq!((found.semantic, found.language), (Some(false), Some(Language::German)));
}

#[test]
fn a_model_is_the_persons_choice_and_not_the_projects() {
    let world = World::of("user/config.toml", "[search]\nmodel = \"models/mine\"\n")
        .file("project/toolscout.toml", "[search]\nmodel = \"models/theirs\"\n");
    assert_eq!(world.read().settings.search.model, Some(world.path("user/models/mine")));
    let warnings = world.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("only a person's own configuration may say"), "{warnings:?}");
}

#[test]
fn what_cannot_be_meant_is_said_with_what_can() {
    let error = |text: &str| {
        let world = World::of("project/toolscout.toml", text);
        world.try_read().map(|_| ()).expect_err("a mistake").to_string()
    };
    assert!(error("[search]\nlanguage = \"klingon\"\n").contains("use english, german"));
    assert!(error("[search]\nsemantics = true\n").contains("did you mean `semantic`?"));
    assert!(error("[search]\nsemantic = \"yes\"\n").contains("true or false"));
    assert!(error("search = true\n").contains("a table"));
}
