//! Which library wrote a help text, because libraries differ in what they accept.

use super::clean::HelpLine;

/// The layout of a help text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HelpStyle {
    /// Python's argparse.
    Argparse,
    /// Rust's clap.
    Clap,
    /// Python's click.
    Click,
    /// Go's cobra.
    Cobra,
    /// GNU programs with `getopt_long`.
    Gnu,
    /// git and its subcommands.
    Git,
    /// BusyBox, and scripts with getopts.
    Getopts,
    /// Anything else.
    #[default]
    Plain,
}

impl HelpStyle {
    pub(super) fn detect(lines: &[HelpLine]) -> Self {
        let has = |part: &str| lines.iter().any(|line| line.text.contains(part));
        if has("show this help message and exit") {
            Self::Argparse
        } else if has("Show this message and exit.") {
            Self::Click
        } else if lines.iter().any(|line| line.after_label("usage: git").is_some()) {
            Self::Git
        } else if has("BusyBox")
            || ["illegal option", "invalid option", "unrecognized option"].into_iter().any(has)
        {
            Self::Getopts
        } else if has("Print help") || has("Prints help information") {
            Self::Clap
        } else if has("Mandatory arguments to long options")
            || has("display this help and exit")
            || has("give this help list")
        {
            Self::Gnu
        } else if has("Flags:") || has(" [flags]") || is_kubectl(lines) {
            Self::Cobra
        } else {
            Self::Plain
        }
    }

    /// Whether `--` ends the options. A script that reads its arguments itself may not know that.
    pub(super) fn accepts_dashes(self) -> bool {
        !matches!(self, Self::Git | Self::Plain)
    }

    /// Whether a long option accepts `--name=value`.
    pub(super) fn accepts_equals(self) -> bool {
        self != Self::Plain
    }
}

/// kubectl has its own template for cobra's help: `    --all=false:`.
fn is_kubectl(lines: &[HelpLine]) -> bool {
    lines.iter().any(|line| {
        let text = &line.text;
        text.starts_with("--") && text.ends_with(':') && text.contains('=') && !text.contains(' ')
    })
}
