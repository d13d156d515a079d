//! The text of TOML edits.

use super::*;

#[test]
fn a_new_server_is_appended_as_the_last_section() {
    assert_eq!(
        toml_after(
            "# ours\nstrict = true   # yes\n\n[policies]\n\"a/b\" = \"ask\"\n",
            set(&["servers", "mail"], entry())
        ),
        "# ours\nstrict = true   # yes\n\n[policies]\n\"a/b\" = \"ask\"\n\n\
         [servers.mail]\ncommand = \"npx\"\nargs = [\"-y\", \"mail\"]\nenv = { TOKEN = \"env:T\" }\n"
    );
    assert_eq!(
        toml_after("", set(&["servers", "a b"], json!({"command": "x"}))),
        "[servers.\"a b\"]\ncommand = \"x\"\n"
    );
}

#[test]
fn a_long_table_becomes_a_section() {
    let long = "x".repeat(90);
    assert_eq!(
        toml_after(
            "",
            set(&["servers", "m"], json!({"env": {"A": long, "B-2": "b"}, "command": "c"}))
        ),
        format!("[servers.m]\ncommand = \"c\"\n\n[servers.m.env]\nA = \"{long}\"\nB-2 = \"b\"\n")
    );
}

#[test]
fn removing_a_server_removes_its_comments_and_tables() {
    let text = "\
# About this file.

# The mail.
[servers.mail]   # here
# Which program.
command = \"npx\"

args = [ # these
  \"-y\",
]

[servers.other]
command = \"x\"

# Its variables.
[servers.mail.env]
TOKEN = \"t\"
# The rest.
[policies]
";
    assert_eq!(
        toml_after(text, remove(&["servers", "mail"])),
        "# About this file.\n\n[servers.other]\ncommand = \"x\"\n# The rest.\n[policies]\n"
    );
}

#[test]
fn comments_at_the_start_of_the_file_are_kept() {
    let text = "# Toolscout.\n[servers.a]\ncommand = \"x\"\n\n[servers.b]\ncommand = \"y\"\n";
    assert_eq!(
        toml_after(text, remove(&["servers", "a"])),
        "# Toolscout.\n\n[servers.b]\ncommand = \"y\"\n"
    );
    let text = "[servers.a]\ncommand = \"x\"\n\n[servers.b]\ncommand = \"y\"\n";
    assert_eq!(toml_after(text, remove(&["servers", "a"])), "[servers.b]\ncommand = \"y\"\n");
}

#[test]
fn replacing_a_server_keeps_its_position() {
    let text = "[servers.a]\ncommand = \"x\" # old\n\n[servers.a.env]\nA = \"b\"\n\n# next\n[servers.b]\ncommand = \"y\"\n";
    assert_eq!(
        toml_after(text, set(&["servers", "a"], json!({"url": "https://x"}))),
        "[servers.a]\nurl = \"https://x\"\n\n# next\n[servers.b]\ncommand = \"y\"\n"
    );
}

#[test]
fn a_value_is_replaced_in_place() {
    let text = "[servers.a]\n  command = \"x\"\n  enabled   =   true   # for now\n";
    assert_eq!(
        toml_after(text, set(&["servers", "a", "enabled"], json!(false))),
        "[servers.a]\n  command = \"x\"\n  enabled   =   false   # for now\n"
    );
}

#[test]
fn a_new_value_is_added_below_the_others() {
    let change = || set(&["servers", "a", "enabled"], json!(false));
    for (before, expected) in [
        (
            "[servers.a]\n  command = \"x\" # c\n\n[b]\n",
            "[servers.a]\n  command = \"x\" # c\n  enabled = false\n\n[b]\n",
        ),
        ("[servers.a]", "[servers.a]\nenabled = false"),
        (
            "[servers]\na = { command = \"x\" } # c\n",
            "[servers]\na = { command = \"x\", enabled = false } # c\n",
        ),
        ("[servers]\na = {}\n", "[servers]\na = { enabled = false }\n"),
        (
            "[servers]\na.command = \"x\"\nb = {}\n",
            "[servers]\na.command = \"x\"\na.enabled = false\nb = {}\n",
        ),
        ("servers.a.command = \"x\"\n", "servers.a.command = \"x\"\nservers.a.enabled = false\n"),
        (
            "servers = { a = { command = \"x\" } }\n",
            "servers = { a = { command = \"x\", enabled = false } }\n",
        ),
        (
            "[servers.a.env]\nA = \"b\"\n",
            "[servers.a.env]\nA = \"b\"\n\n[servers.a]\nenabled = false\n",
        ),
    ] {
        assert_eq!(toml_after(before, change()), expected);
    }
}

#[test]
fn a_server_in_any_layout_can_be_removed() {
    for (before, expected) in [
        ("[servers]\na = { command = \"x\" } # c\nb = {}\n", "[servers]\nb = {}\n"),
        ("[servers]\na.command = \"x\"\n# with\na.args = []\nb = {}\n", "[servers]\nb = {}\n"),
        ("servers = { a = {}, b = {} }\n", "servers = { b = {} }\n"),
        ("servers = { b = {}, a = {} }\n", "servers = { b = {} }\n"),
        ("servers = { a = {} }\n", "servers = {  }\n"),
        ("[[servers.a]]\nx = 1\n[[servers.a]]\nx = 2\n[b]\n", "[b]\n"),
    ] {
        assert_eq!(toml_after(before, remove(&["servers", "a"])), expected);
    }
}

#[test]
fn a_policy_is_added_to_its_section_or_a_new_one() {
    let change = || set(&["policies", "fs/write"], json!("ask"));
    assert_eq!(
        toml_after("strict = true\n", change()),
        "strict = true\n\n[policies]\n\"fs/write\" = \"ask\"\n"
    );
    assert_eq!(
        toml_after("[policies] # mine\n\n[servers.a]\n", change()),
        "[policies] # mine\n\"fs/write\" = \"ask\"\n\n[servers.a]\n"
    );
    let nested = set(&["servers", "a", "tools", "rm -rf"], json!("deny"));
    assert_eq!(
        toml_after("[servers.a]\ncommand = \"x\"\n", nested),
        "[servers.a]\ncommand = \"x\"\ntools = { \"rm -rf\" = \"deny\" }\n"
    );
}

#[test]
fn a_new_setting_is_added_before_the_sections() {
    let change = || set(&["mode"], json!("read-only"));
    for (before, expected) in [
        ("", "mode = \"read-only\"\n"),
        ("# only words\n", "# only words\nmode = \"read-only\"\n"),
        ("# only words", "# only words\nmode = \"read-only\""),
        ("strict = true # c\n\n[a]\n", "strict = true # c\nmode = \"read-only\"\n\n[a]\n"),
        ("# file\n\n# section\n[a]\n", "# file\n\nmode = \"read-only\"\n\n# section\n[a]\n"),
        ("mode = 'normal' # c\n", "mode = \"read-only\" # c\n"),
    ] {
        assert_eq!(toml_after(before, change()), expected);
    }
}

#[test]
fn crlf_line_endings_and_a_byte_order_mark_are_preserved() {
    assert_eq!(
        toml_after("\u{feff}strict = true\r\n", set(&["servers", "a"], json!({"command": "x"}))),
        "\u{feff}strict = true\r\n\r\n[servers.a]\r\ncommand = \"x\"\r\n"
    );
}

#[test]
fn a_hash_inside_a_multiline_string_is_not_a_comment() {
    let text = "a = '''\n# not a comment'''\n[servers.x]\ncommand = \"y\"\n";
    assert_eq!(toml_after(text, remove(&["servers", "x"])), "a = '''\n# not a comment'''\n");
}

#[test]
fn unusual_strings_survive_a_write() {
    let odd = "quote \" back \\ tab \t line \n del \u{7f} bell \u{7} ümlaut 🦀";
    let after = toml_after(
        "",
        set(&["servers", odd], json!({"command": odd, "args": [odd], "env": {odd: odd}})),
    );
    assert!(after.is_ascii() || after.contains('🦀'));
}
