//! The folders of state and settings.

use crate::{config_dir, state_dir};
use std::ffi::OsString;
use std::path::PathBuf;

fn env<'a>(all: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
    |name| all.iter().find(|(item, _)| *item == name).map(|(_, value)| value.into())
}

#[test]
fn the_own_variable_has_precedence() {
    let all = [
        ("TOOLSCOUT_STATE_DIR", "state"),
        ("TOOLSCOUT_CONFIG_DIR", "/config"),
        ("XDG_STATE_HOME", "/xdg"),
        ("XDG_CONFIG_HOME", "/xdg"),
        ("HOME", "/home/ann"),
    ];
    assert_eq!(state_dir(env(&all)), Some(PathBuf::from("state")));
    assert_eq!(config_dir(env(&all)), Some(PathBuf::from("/config")));
}

#[test]
fn the_xdg_variable_comes_second() {
    let all = [
        ("XDG_STATE_HOME", "/xdg/state"),
        ("XDG_CONFIG_HOME", "/xdg/config"),
        ("HOME", "/home/ann"),
    ];
    assert_eq!(state_dir(env(&all)), Some(PathBuf::from("/xdg/state/toolscout")));
    assert_eq!(config_dir(env(&all)), Some(PathBuf::from("/xdg/config/toolscout")));
}

#[test]
fn the_home_directory_comes_last() {
    for all in [
        &[("HOME", "/home/ann")][..],
        &[("TOOLSCOUT_STATE_DIR", ""), ("TOOLSCOUT_CONFIG_DIR", ""), ("HOME", "/home/ann")],
        &[("XDG_STATE_HOME", "relative"), ("XDG_CONFIG_HOME", "relative"), ("HOME", "/home/ann")],
    ] {
        assert_eq!(state_dir(env(all)), Some(PathBuf::from("/home/ann/.local/state/toolscout")));
        assert_eq!(config_dir(env(all)), Some(PathBuf::from("/home/ann/.config/toolscout")));
    }
}

#[test]
fn without_a_home_there_is_no_directory() {
    assert_eq!(state_dir(env(&[])), None);
    assert_eq!(config_dir(env(&[("HOME", "")])), None);
}
