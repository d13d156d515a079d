//! Configuration files with mistakes in them.

use super::{lists_only_good_and, project};

#[test]
fn a_syntax_error_is_reported_with_file_and_line() {
    for (name, text, position) in [
        ("toolscout.toml", "strict = false\nroots = [\n", "line 2"),
        ("toolscout.json", "{\n  \"strict\": nope\n}", "line 2"),
        ("toolscout.yaml", "strict: false\nroots: [\n", "line"),
    ] {
        let refused = project()
            .file(name, text)
            .run(&["tools"])
            .exits(2)
            .stderr_contains(&[name, position, "hint:"]);
        assert_eq!(refused.out, "");
    }
}

#[test]
fn a_setting_of_the_wrong_type_is_reported() {
    project()
        .file("toolscout.toml", "strict = \"perhaps\"\n")
        .run(&["tools"])
        .exits(2)
        .stderr_contains(&["toolscout.toml", "strict", "line 1"]);
    project()
        .file("toolscout.toml", "on_conflict = \"perhaps\"\n")
        .run(&["tools"])
        .exits(2)
        .stderr_contains(&["perhaps", "replace, skip or error"]);
}

#[test]
fn an_unknown_setting_is_a_warning_and_the_others_apply() {
    let world = project()
        .echo("more/two.tool.toml", "two", "")
        .file("toolscout.toml", "rots = [\"x\"]\ntool_directories = [\"more\"]\n");
    lists_only_good_and(&world, &["two"])
        .stderr_contains(&["warning: ", "toolscout.toml: unknown setting `rots`"]);
    let doctor = world.run(&["doctor"]).exits(1);
    assert!(doctor.out.contains("unknown setting `rots`"), "{doctor:?}");
}

#[test]
fn server_settings_cause_no_warning() {
    let text =
        "default_policy = \"allow\"\nmeta_tools = \"auto\"\n[servers.fs]\ncommand = \"npx\"\n";
    let output = lists_only_good_and(&project().file("toolscout.toml", text), &[]).err;
    assert_eq!(
        output,
        "note: 1 server is unavailable or still loading (`toolscout server list`)\n"
    );
}

#[test]
fn a_binary_configuration_file_is_refused() {
    let world = project();
    std::fs::write(world.path("toolscout.toml"), b"\xff\xfe").expect("write");
    world.run(&["tools"]).exits(2).stderr_contains(&["toolscout.toml"]);
}

#[test]
fn an_error_in_the_user_configuration_is_reported() {
    let world = project();
    let folder = world.temp_dir().join("config");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join("config.toml"), "= 1"))
        .expect("write");
    world.run(&["tools"]).exits(2).stderr_contains(&["config.toml", "line 1"]);
}

#[test]
fn a_project_that_is_not_a_folder_is_refused() {
    project()
        .run(&["-C", "nowhere", "tools"])
        .exits(2)
        .stderr_contains(&["nowhere` is not a folder", "hint:"]);
}

/// Help needs no configuration.
#[test]
fn version_and_help_work_with_a_broken_configuration() {
    let world = project().file("toolscout.toml", "= 1");
    assert!(world.run(&["--version"]).exits(0).out.starts_with("toolscout "));
}
