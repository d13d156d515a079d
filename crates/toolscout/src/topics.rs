//! Topics of `toolscout help`, which are sections of the manual page as well.

/// A text about something that is not a command.
pub(crate) struct Topic {
    /// The word after `help`.
    pub(crate) name: &'static str,
    /// The heading in the manual page.
    pub(crate) heading: &'static str,
    pub(crate) text: &'static str,
}

/// The command that prints a topic.
pub(crate) const COMMAND: &str = "__topic";

/// The note in the overview of commands.
pub(crate) const NOTE: &str = "Other topics: `help environment`, `help files`, `help exit-codes`.";

pub(crate) const TOPICS: &[Topic] = &[
    Topic {
        name: "environment",
        heading: "ENVIRONMENT",
        text: include_str!("topics/environment.txt"),
    },
    Topic { name: "files", heading: "FILES", text: include_str!("topics/files.txt") },
    Topic {
        name: "exit-codes",
        heading: "EXIT STATUS",
        text: include_str!("topics/exit-codes.txt"),
    },
];
