//! The manual page has every command, and no text can become a request of roff.

use super::ManualPage;
use crate::cli::{CommandSpec, OptionSpec, PositionalSpec};
use insta::assert_snapshot;

#[test]
fn the_manual_page_lists_options_commands_and_topics() {
    let spec = CommandSpec::new("fetch", "Fetch data")
        .option(OptionSpec::text("format", "Output format").choices(["json", "csv"]));
    let command = CommandSpec::new("get", "Fetch one URL")
        .positional(PositionalSpec::new("URL", "The URL").required())
        .option(OptionSpec::switch("cache", "Store the response").negatable().default("true"))
        .option(OptionSpec { hidden: true, ..OptionSpec::switch("debug", "Not shown") })
        .note("Proxies are taken from the environment.")
        .example("fetch get https://example.org");
    let page = ManualPage {
        program: "fetch",
        version: "1.2.3",
        spec: &spec,
        commands: &[command],
        topics: &[("EXIT STATUS", "The codes:\n\n  0  success\n  2  usage error\n\nNo others.")],
    };
    assert_snapshot!(page.to_roff(), @r#"
    .TH FETCH 1 "" "fetch 1.2.3" "User Commands"
    .SH NAME
    fetch \- Fetch data
    .SH SYNOPSIS
    \fBfetch [OPTIONS] COMMAND\fR
    .SH OPTIONS
    .TP
    \fB\-\-format TEXT\fR
    Output format (choices: json, csv)
    .SH COMMANDS
    .SS get
    \fBfetch get [OPTIONS] URL\fR
    .PP
    Fetch one URL
    .TP
    \fBURL\fR
    The URL (required)
    .TP
    \fB\-\-[no\-]cache\fR
    Store the response (default: true)
    .PP
    Proxies are taken from the environment.
    .PP
    Examples:
    .nf
    .RS 4
    fetch get https://example.org
    .RE
    .fi
    .SH EXIT STATUS
    The codes:
    .PP
    .nf
    .RS 4
    0  success
    2  usage error
    .RE
    .fi
    .PP
    No others.
    "#);
}

#[test]
fn a_text_never_becomes_a_request() {
    let spec = CommandSpec::new("x", ".so /etc/passwd\n'br\nC:\\temp");
    let page = ManualPage {
        program: "x",
        version: "1",
        spec: &spec,
        commands: std::slice::from_ref(&spec),
        topics: &[],
    };
    let roff = page.to_roff();
    assert!(!roff.lines().any(|line| line.starts_with(".so") || line.starts_with("'br")), "{roff}");
    assert!(roff.contains("C:\\etemp"), "{roff}");
}
