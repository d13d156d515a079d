//! `server start`, `stop`, `restart` and `logs`: steer the servers that another process keeps.

use super::ServerSet;
use super::control::{Answer, Ask};
use crate::{AppError, Command, RunCx};
use toolscout_core::{BoxFuture, ErrorKind, escape, redact};
use toolscout_surface::cli::{CommandSpec, OptionSpec, PositionalSpec};
use toolscout_surface::codes::Exit;

/// One of them.
pub(super) struct Steer {
    name: &'static str,
    about: &'static str,
    does: Does,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Start,
    Stop,
    Restart,
    Logs,
}

/// All of them.
pub(super) fn commands() -> [Steer; 4] {
    [
        Steer { name: "server start", about: "Start a server, and keep it running", does: Does::Start },
        Steer { name: "server stop", about: "End a server; the next call starts it again", does: Does::Stop },
        Steer { name: "server restart", about: "End a server, and start it again", does: Does::Restart },
        Steer { name: "server logs", about: "Show the last a server said beside the protocol", does: Does::Logs },
    ]
}

impl Steer {
    /// What it does, in a word: `stop`.
    fn verb(&self) -> &'static str {
        self.name.strip_prefix("server ").unwrap_or(self.name)
    }
}

impl Command for Steer {
    fn spec(&self) -> CommandSpec {
        CommandSpec::new(self.name, self.about)
            .positional(PositionalSpec::new("ID", "Which server").required())
            .option(OptionSpec::help("Show this help"))
            .note("Servers run in the process that started them: `toolscout serve` or `toolscout server host`. Without one there is nothing to steer.")
            .example(format!("toolscout {} files", self.name))
    }

    fn run<'a>(&'a self, cx: &'a RunCx) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async {
            let set = ServerSet::of(cx.options(), cx.surroundings())?;
            let server = set.source(&cx.parsed.positionals[0])?.server().id.to_string();
            if self.does != Does::Logs && cx.only_would(&format!("{} {server}", self.verb())) {
                return Ok(Exit::Done);
            }
            let asks = match self.does {
                Does::Start => vec![Ask::Start { server }],
                Does::Stop => vec![Ask::Stop { server }],
                Does::Restart => vec![Ask::Stop { server: server.clone() }, Ask::Start { server }],
                Does::Logs => vec![Ask::Logs { server }],
            };
            for ask in asks {
                let control = set.control.as_ref().ok_or_else(nobody)?;
                match control.ask(&ask).await.map_err(|_| nobody())? {
                    Answer::Logs { tail } => cx.print(&shown(&tail))?,
                    Answer::Failed { message, hint, .. } => {
                        return Err(AppError::Said { kind: ErrorKind::Unavailable, message, hint });
                    }
                    _ => {}
                }
            }
            Ok(Exit::Done)
        })
    }
}

/// What a server says is its own; what it must not do to a terminal is our business.
fn shown(tail: &str) -> String {
    let text = escape::text(&redact::text(tail)).into_owned();
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

fn nobody() -> AppError {
    AppError::Said {
        kind: ErrorKind::Unavailable,
        message: "no process keeps the servers of this project".to_owned(),
        hint: Some(
            "`toolscout serve` and `toolscout server host` do; or just call a tool: its server is started for the call"
                .to_owned(),
        ),
    }
}
