//! Configuration files with mistakes in them.

use super::{lists_only_good_and, project};

#[test]
fn a_syntax_error_is_named_with_file_and_line() {
    for (name, text, place) in [
        ("toolscout.toml", "strict = false\nroots = [\n", "line 2"),
        ("toolscout.json", "{\n  \"strict\": nope\n}", "line 2"),
        ("toolscout.yaml", "strict: false\nroots: [\n", "line"),
    ] {
        let refused =
            project().file(name, text).run(&["tools"]).exits(2).says(&[name, place, "hint:"]);
        assert_eq!(refused.out, "");
    }
}

#[test]
fn a_value_of_the_wrong_kind_is_named() {
    project().file("toolscout.toml", "strict = \"perhaps\"\n").run(&["tools"]).exits(2).says(&[
        "toolscout.toml",
        "strict",
        "line 1",
    ]);
    project()
        .file("toolscout.toml", "on_conflict = \"perhaps\"\n")
        .run(&["tools"])
        .exits(2)
        .says(&["perhaps", "replace, skip or error"]);
}

#[test]
fn an_unknown_setting_is_a_warning_and_the_rest_counts() {
    let world = project()
        .echo("more/two.tool.toml", "two", "")
        .file("toolscout.toml", "rots = [\"x\"]\ntool_directories = [\"more\"]\n");
    lists_only_good_and(&world, &["two"])
        .says(&["warning: ", "toolscout.toml: unknown setting `rots`"]);
    let doctor = world.run(&["doctor"]).exits(1);
    assert!(doctor.out.contains("unknown setting `rots`"), "{doctor:?}");
}

#[test]
fn a_setting_that_is_there_for_servers_is_no_mistake() {
    let text =
        "default_policy = \"allow\"\nmeta_tools = \"auto\"\n[servers.fs]\ncommand = \"npx\"\n";
    let said = lists_only_good_and(&project().file("toolscout.toml", text), &[]).err;
    assert_eq!(
        said,
        "warning: the tools of `fs` are not loaded yet\n  hint: toolscout server refresh fs\n"
    );
}

#[test]
fn a_configuration_file_that_is_not_text_is_refused() {
    let world = project();
    std::fs::write(world.path("toolscout.toml"), b"\xff\xfe").expect("write");
    world.run(&["tools"]).exits(2).says(&["toolscout.toml"]);
}

#[test]
fn a_mistake_in_the_users_own_file_is_named_as_well() {
    let world = project();
    let folder = world.outside().join("config");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join("config.toml"), "= 1"))
        .expect("write");
    world.run(&["tools"]).exits(2).says(&["config.toml", "line 1"]);
}

#[test]
fn a_project_that_is_no_folder_is_refused() {
    project()
        .run(&["-C", "nowhere", "tools"])
        .exits(2)
        .says(&["nowhere` is not a folder", "hint:"]);
}

/// Help needs no configuration.
#[test]
fn the_version_is_shown_whatever_the_configuration_says() {
    let world = project().file("toolscout.toml", "= 1");
    assert!(world.run(&["--version"]).exits(0).out.starts_with("toolscout "));
}
