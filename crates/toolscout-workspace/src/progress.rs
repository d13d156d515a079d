//! Progress lines on standard error: what takes long, one line each, and only at a terminal.
//!
//! All lines of a process belong to one [`ProgressDisplay`]. Work reports to it; a thread draws.
//! Output never mixes with the lines: [`crate::Environment`] pauses them while it prints.
//!
//! We draw the lines ourselves: indicatif pads them to the width of the terminal, so that the `^C`
//! of an interrupt goes to another row and one line is left on the screen.

mod line;

use line::Line;
use parking_lot::{Condvar, Mutex};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::cx::Progress;
use toolscout_surface::output::brief::brief;

/// Interval between frames.
const FRAME: Duration = Duration::from_millis(100);

/// The progress lines of this process. The default shows nothing. Cloning is cheap.
#[derive(Clone, Default)]
pub struct ProgressDisplay(Option<Arc<Painter>>);

#[derive(Default)]
struct Painter {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: Vec<Line>,
    next_id: u64,
    /// The number of lines on the terminal; the cursor is at the end of the last one.
    drawn: usize,
    /// The number of [`ProgressPause`]s.
    pauses: usize,
    /// Whether the thread that draws is running.
    is_drawing: bool,
    is_closed: bool,
}

impl ProgressDisplay {
    /// Lines on standard error, which is a terminal.
    pub fn at_terminal() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether progress is shown at all.
    pub fn is_shown(&self) -> bool {
        self.0.is_some()
    }

    /// Shows a line while the returned value exists, if that is longer than 300 ms.
    #[must_use = "the line is shown until this is dropped"]
    pub fn start(&self, name: &str) -> ProgressLine {
        let id = self.0.as_ref().map_or(0, |painter| painter.add(|id| Line::new(id, name)));
        ProgressLine { display: self.clone(), id }
    }

    /// Shows a line for a part of the work: a server whose tools are loading. `installer` is the
    /// program that may have to download the server first.
    pub fn start_part(&self, name: &str, state: &str, installer: Option<&str>) {
        if let Some(painter) = &self.0 {
            painter.add(|id| Line::part(id, name, state, installer));
        }
    }

    /// Shows how a part ended. Its line stays until all of the work is done.
    pub fn end_part(&self, name: &str, outcome: &str) {
        if let Some(painter) = &self.0 {
            let mut state = painter.state.lock();
            if let Some(line) = state.lines.iter_mut().find(|line| line.is_running_part(name)) {
                line.end(outcome);
            }
            painter.remove_finished(&mut state);
        }
    }

    /// Erases the lines until the returned value is dropped: for output and for prompts.
    #[must_use = "the lines return when this is dropped"]
    pub(crate) fn pause(&self) -> ProgressPause {
        if let Some(painter) = &self.0 {
            let mut state = painter.state.lock();
            state.pauses += 1;
            state.draw(&[]);
        }
        ProgressPause(self.clone())
    }

    /// Erases the lines for good: for the end of the process.
    pub fn close(&self) {
        if let Some(painter) = &self.0 {
            let mut state = painter.state.lock();
            state.is_closed = true;
            state.draw(&[]);
        }
    }
}

/// A line that is shown until this is dropped.
pub struct ProgressLine {
    display: ProgressDisplay,
    id: u64,
}

impl ProgressLine {
    /// Shows how far the work is.
    pub fn report(&self, progress: Progress) {
        self.update(|line| line.progress = Some(progress));
    }

    /// Explains, after a few seconds, that the program that starts the server may download it.
    pub fn may_install(&self, installer: &str) {
        self.update(|line| line.installer = Some(installer.to_owned()));
    }

    /// Removes the line: the output of the work is shown instead.
    pub fn hide(&self) {
        if let Some(painter) = &self.display.0 {
            let mut state = painter.state.lock();
            painter.remove(&mut state, |line| line.id == self.id);
        }
    }

    fn update(&self, change: impl FnOnce(&mut Line)) {
        if let Some(painter) = &self.display.0 {
            let mut state = painter.state.lock();
            if let Some(line) = state.lines.iter_mut().find(|line| line.id == self.id) {
                change(line);
            }
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some(painter) = &self.display.0 {
            let mut state = painter.state.lock();
            painter.remove(&mut state, |line| line.id == self.id);
            painter.remove_finished(&mut state);
        }
    }
}

/// The lines are erased until this is dropped.
pub(crate) struct ProgressPause(ProgressDisplay);

impl Drop for ProgressPause {
    fn drop(&mut self) {
        if let Some(painter) = &self.0.0 {
            painter.state.lock().pauses -= 1;
        }
    }
}

impl Painter {
    fn add(self: &Arc<Self>, line: impl FnOnce(u64) -> Line) -> u64 {
        let mut state = self.state.lock();
        state.next_id += 1;
        let id = state.next_id;
        state.lines.push(line(id));
        if !std::mem::replace(&mut state.is_drawing, true) {
            let painter = self.clone();
            let thread = std::thread::Builder::new().name("progress".to_owned());
            // Without the thread nothing is shown.
            let _ = thread.spawn(move || painter.draw());
        }
        id
    }

    /// Draws until there are no lines.
    fn draw(&self) {
        let mut state = self.state.lock();
        while !state.lines.is_empty() && !state.is_closed {
            if state.pauses == 0 {
                let (width, height) = line::terminal_size();
                let due = state.lines.iter().filter(|line| line.is_due()).take(height);
                let lines: Vec<_> = due.map(|line| brief(&line.text(), width)).collect();
                state.draw(&lines);
            }
            self.changed.wait_for(&mut state, FRAME);
        }
        state.is_drawing = false;
    }

    fn remove(&self, state: &mut State, is_removed: impl Fn(&Line) -> bool) {
        let before = state.lines.len();
        state.lines.retain(|line| !is_removed(line));
        // The next frame has the others.
        if state.lines.len() < before {
            state.draw(&[]);
        }
    }

    /// Removes the parts that have ended, if no line of the whole work is left.
    fn remove_finished(&self, state: &mut State) {
        if state.lines.iter().all(|line| line.is_part()) {
            self.remove(state, Line::has_ended);
        }
    }
}

impl State {
    /// Replaces the lines on the terminal.
    fn draw(&mut self, lines: &[String]) {
        if self.drawn == 0 && lines.is_empty() {
            return;
        }
        let mut text = String::new();
        if self.drawn > 0 {
            text += "\r\x1b[2K";
            text += &"\x1b[1A\x1b[2K".repeat(self.drawn - 1);
        }
        text += &lines.join("\r\n");
        self.drawn = lines.len();
        // Fails only if the terminal is gone.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}
