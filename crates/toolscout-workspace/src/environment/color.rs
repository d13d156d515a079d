//! Whether output has color, and the color of messages.

use std::borrow::Cow;
use std::str::FromStr;
use toolscout_surface::cli::Style;

/// The value of `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorChoice {
    /// As the terminal, `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` say.
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    /// The values of the option.
    pub const NAMES: [&str; 3] = ["auto", "always", "never"];

    /// The style of a stream.
    pub(super) fn style<'a>(
        self,
        is_terminal: bool,
        var: impl Fn(&str) -> Option<&'a str>,
    ) -> Style {
        let is_forced = || var("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let has_color = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if var("NO_COLOR").is_some() => false,
            Self::Auto => is_forced() || is_terminal && var("TERM") != Some("dumb"),
        };
        if has_color { Style::Coloured } else { Style::Plain }
    }
}

impl FromStr for ColorChoice {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => Err(()),
        }
    }
}

/// The text with the labels of messages in color: `error:`, `warning:`, `note:`, `hint:`.
pub(super) fn paint_labels(text: &str, style: Style) -> Cow<'_, str> {
    if style == Style::Plain {
        return Cow::Borrowed(text);
    }
    text.split_inclusive('\n').map(|line| paint_label(line, style)).collect::<String>().into()
}

fn paint_label(line: &str, style: Style) -> String {
    let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
    let Some((label, rest)) = line[indent.len()..].split_once(':') else { return line.to_owned() };
    let painted = match label {
        "error" => style.error("error:"),
        "warning" => style.warning("warning:"),
        "hint" => style.hint("hint:"),
        "note" => style.bold("note:"),
        _ => return line.to_owned(),
    };
    format!("{indent}{painted}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_wins_over_variables_and_they_win_over_the_terminal() {
        let style = |choice: ColorChoice, is_terminal, set: &[(&str, &'static str)]| {
            let var = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, text)| *text);
            choice.style(is_terminal, var) == Style::Coloured
        };
        let auto = ColorChoice::Auto;
        assert!(style(auto, true, &[]) && !style(auto, false, &[]));
        assert!(!style(auto, true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(style(auto, false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!style(auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!style(auto, true, &[("TERM", "dumb")]));
        assert!(style(ColorChoice::Always, false, &[("NO_COLOR", "1")]));
        assert!(!style(ColorChoice::Never, true, &[("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn only_labels_are_painted() {
        let text = "error: no: such\n  hint: type it\nerrors: 3\n";
        assert_eq!(paint_labels(text, Style::Plain), text);
        assert_eq!(
            paint_labels(text, Style::Coloured),
            "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m no: such\n  \u{1b}[36mhint:\u{1b}[0m type it\nerrors: 3\n"
        );
    }
}
