//! Search settings.

use super::*;
use toolscout_core::Language;

fn settings(user: &str, project: &str) -> SearchSettings {
    let world = World::with_file("user/config.toml", user).file("project/toolscout.toml", project);
    world.read().settings.search
}

#[test]
fn project_search_settings_override_those_of_the_user() {
    assert_eq!(settings("", ""), SearchSettings::default());
    let found = settings(
        "[search]\nsemantic = false\nlanguage = \"french\"\n",
        "[search]\nlanguage = \"german\"\n",
    );
    assert_eq!((found.semantic, found.language), (Some(false), Some(Language::German)));
}

#[test]
fn only_the_user_configuration_may_set_a_model() {
    let world = World::with_file("user/config.toml", "[search]\nmodel = \"models/mine\"\n")
        .file("project/toolscout.toml", "[search]\nmodel = \"models/theirs\"\n");
    assert_eq!(world.read().settings.search.model, Some(world.path("user/models/mine")));
    let warnings = world.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("allowed only in your user configuration"), "{warnings:?}");
}

#[test]
fn invalid_search_settings_list_the_valid_values() {
    let error = |text: &str| {
        let world = World::with_file("project/toolscout.toml", text);
        world.try_read().map(|_| ()).expect_err("the setting is invalid").to_string()
    };
    assert!(error("[search]\nlanguage = \"klingon\"\n").contains("use english, german"));
    assert!(error("[search]\nsemantics = true\n").contains("did you mean `semantic`?"));
    assert!(error("[search]\nsemantic = \"yes\"\n").contains("true or false"));
    assert!(error("search = true\n").contains("a table"));
}
