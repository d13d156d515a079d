//! Shows what takes long: a line for the command, and one for each server whose tools are loading.

use crate::{Environment, RunCx};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use toolscout_core::cx::Progress;
use toolscout_core::{Cx, ToolId, escape};

/// The width of the bar, and the maximum length of a message.
const BAR: f64 = 20.0;
const MESSAGE: usize = 50;

/// The progress line on the terminal, updated in place and erased on drop.
pub(super) struct Shown {
    environment: Arc<Environment>,
    is_there: Arc<AtomicBool>,
}

/// The request context for a call of this tool. Progress is logged, and shown on a terminal.
pub(super) fn watched(cx: &RunCx, tool: &ToolId) -> (Cx, Shown) {
    let is_shown = cx.environment().is_interactive() && !cx.options().switch("quiet");
    let shown = Shown { environment: cx.workspace().environment.clone(), is_there: Arc::default() };
    let (environment, is_there, tool) =
        (cx.workspace().environment.clone(), shown.is_there.clone(), tool.clone());
    let progress = move |it: Progress| {
        let message = it.message.as_deref().map(escape::line);
        tracing::debug!(event = "tool_progress", tool = %tool, done = it.done, total = it.total, message = message.as_deref());
        if is_shown {
            is_there.store(true, Ordering::Relaxed);
            environment.say(&line(&it));
        }
    };
    (Cx { progress: Some(Arc::new(progress)), ..cx.request() }, shown)
}

impl Drop for Shown {
    fn drop(&mut self) {
        if self.is_there.load(Ordering::Relaxed) {
            self.environment.say("\r\x1b[K");
        }
    }
}

fn line(progress: &Progress) -> String {
    let Progress { done, total, message } = progress;
    let message: String =
        escape::line(message.as_deref().unwrap_or_default()).chars().take(MESSAGE).collect();
    let far = match total.filter(|it| *it > 0.0) {
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
    format!("\r\x1b[K{far} {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_what_is_under_way() {
        let line = |done, total, message: &str| {
            line(&Progress {
                done,
                total,
                message: Some(message.to_owned()).filter(|it| !it.is_empty()),
            })
        };
        assert_eq!(line(1.0, Some(4.0), "counting"), "\r\x1b[K[#####...............] 1/4 counting");
        assert_eq!(line(9.0, Some(4.0), ""), "\r\x1b[K[####################] 9/4 ");
        assert_eq!(line(0.5, None, "a\x1b[2J"), "\r\x1b[K0.5 a\\u{1b}[2J");
        assert_eq!(line(-1.0, Some(0.0), ""), "\r\x1b[K-1 ");
        assert_eq!(line(1.0, None, &"x".repeat(500)).len(), "\r\x1b[K1 ".len() + MESSAGE);
    }
}
