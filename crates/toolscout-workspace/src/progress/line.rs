//! One progress line: its name, its state, and the time it takes.

use std::io;
use std::time::{Duration, Instant};
use toolscout_core::cx::Progress;
use toolscout_core::escape;

/// Work that takes less time has no line.
const DELAY: Duration = Duration::from_millis(300);
/// A server that takes longer may be being installed.
const INSTALL_DELAY: Duration = Duration::from_secs(3);
/// The width of the bar, and the maximum length of a message.
const BAR: f64 = 20.0;
const MESSAGE: usize = 60;

/// The spinner, and the duration of each of its frames in milliseconds.
const FRAMES: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠹"];
const FRAME_MS: u128 = 100;

pub(super) struct Line {
    pub(super) id: u64,
    name: String,
    /// For a part of the work: what is done now, or how it ended.
    state: Option<String>,
    pub(super) progress: Option<Progress>,
    pub(super) installer: Option<String>,
    since: Instant,
    /// The time it took, if it has ended.
    took: Option<Duration>,
}

impl Line {
    pub(super) fn new(id: u64, name: &str) -> Self {
        Self {
            id,
            name: escape::line(name).into_owned(),
            state: None,
            progress: None,
            installer: None,
            since: Instant::now(),
            took: None,
        }
    }

    pub(super) fn part(id: u64, name: &str, state: &str, installer: Option<&str>) -> Self {
        let (state, installer) = (Some(state.to_owned()), installer.map(str::to_owned));
        Self { state, installer, ..Self::new(id, name) }
    }

    pub(super) fn is_part(&self) -> bool {
        self.state.is_some()
    }

    pub(super) fn is_running_part(&self, name: &str) -> bool {
        self.is_part() && self.name == escape::line(name) && !self.has_ended()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.took.is_some()
    }

    pub(super) fn end(&mut self, outcome: &str) {
        self.state = Some(message(outcome));
        self.took = Some(self.since.elapsed());
    }

    /// Whether the work has taken long enough.
    pub(super) fn is_due(&self) -> bool {
        self.since.elapsed() >= DELAY
    }

    pub(super) fn text(&self) -> String {
        let took = self.took.unwrap_or_else(|| self.since.elapsed());
        let frame = usize::try_from(took.as_millis() / FRAME_MS).unwrap_or(0) % FRAMES.len();
        let spinner = if self.has_ended() { "·" } else { FRAMES[frame] };
        let mut text = format!("{spinner} {}", self.name);
        if let Some(state) = &self.state {
            text += &format!("  {state}");
        }
        if let Some(progress) = &self.progress {
            text += &format!("  {}", position(progress));
        }
        text += &format!("  {} s", took.as_secs());
        match &self.installer {
            Some(installer) if !self.has_ended() && took >= INSTALL_DELAY => {
                text + &format!(
                    "  installing the server? (the first start with {installer} can take a minute)"
                )
            }
            _ => text,
        }
    }
}

/// The width and the number of lines on the terminal, with room for the `^C` of an interrupt.
pub(super) fn terminal_size() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
    let (columns, rows) =
        size.map_or((0, 0), |size| (usize::from(size.ws_col), usize::from(size.ws_row)));
    let or = |value: usize, default| if value == 0 { default } else { value };
    (or(columns, 80).saturating_sub(4).max(20), or(rows, 24).saturating_sub(1).max(1))
}

/// `[####......] 2/5 the message`
fn position(progress: &Progress) -> String {
    let Progress { done, total, message } = progress;
    let message = self::message(message.as_deref().unwrap_or_default());
    let position = match total.filter(|total| *total > 0.0) {
        Some(total) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 0 to 20"
            )]
            let full = (done / total * BAR).clamp(0.0, BAR) as usize;
            format!("[{:.<20}] {done}/{total}", "#".repeat(full))
        }
        None => done.to_string(),
    };
    format!("{position} {message}").trim_end().to_owned()
}

fn message(text: &str) -> String {
    escape::line(text).chars().take(MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_the_position_and_the_current_step() {
        let position = |done, total, message: &str| {
            position(&Progress {
                done,
                total,
                message: Some(message.to_owned()).filter(|message| !message.is_empty()),
            })
        };
        assert_eq!(position(1.0, Some(4.0), "counting"), "[#####...............] 1/4 counting");
        assert_eq!(position(9.0, Some(4.0), ""), "[####################] 9/4");
        assert_eq!(position(0.5, None, "a\x1b[2J"), "0.5 a\\u{1b}[2J");
        assert_eq!(position(-1.0, Some(0.0), ""), "-1");
        assert_eq!(position(1.0, None, &"x".repeat(500)).len(), "1 ".len() + MESSAGE);
    }

    #[test]
    fn a_part_shows_its_state_and_an_installation_only_after_a_while() {
        let mut line = Line::part(1, "files", "loading tools", Some("npx"));
        assert_eq!(line.text(), "⠋ files  loading tools  0 s");
        assert!(!line.is_due());
        line.since = Instant::now().checked_sub(INSTALL_DELAY).expect("a past instant");
        assert!(line.is_due());
        let hint = "installing the server? (the first start with npx can take a minute)";
        assert!(line.text().ends_with(&format!("files  loading tools  3 s  {hint}")));
        line.end("12 tools");
        assert_eq!(line.text(), "· files  12 tools  3 s");
    }
}
