//! The environment of a run: its working folder, variables, streams and store. Tests and
//! embedding programs supply their own.

mod color;
mod unavailable_store;

pub use color::ColorChoice;

use crate::AppError;
use crate::progress::ProgressDisplay;
use color::paint_labels;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use toolscout_config::SECRETS_FOLDER;
use toolscout_core::{MemoryStore, Store};
use toolscout_fleet::{FleetError, FleetSettings, FleetStore};
use toolscout_mcp_client::{ReferenceLookup, ReplicaCallsSlot};
use toolscout_process::ancestry::{self, ToolParent};
use toolscout_surface::cli::help::HelpLayout;
use toolscout_surface::cli::{Locale, Style};
use unavailable_store::UnavailableStore;

/// The environment of a run.
pub struct Environment {
    cwd: PathBuf,
    vars: BTreeMap<String, String>,
    out: Mutex<Box<dyn Write + Send>>,
    err: Mutex<Box<dyn Write + Send>>,
    is_silent: AtomicBool,
    is_interactive: bool,
    out_is_terminal: bool,
    err_is_terminal: bool,
    /// Set once the options are parsed.
    color: OnceLock<ColorChoice>,
    /// Set once the options are parsed.
    progress: OnceLock<ProgressDisplay>,
    is_captured: bool,
    drains: AtomicBool,
    local_store: OnceLock<Arc<dyn Store>>,
    fleet_settings: OnceLock<Result<FleetSettings, FleetError>>,
    fleet: OnceLock<Result<Arc<FleetStore>, FleetError>>,
    replica_calls: ReplicaCallsSlot,
    tool_parent: OnceLock<Option<ToolParent>>,
}

impl Environment {
    /// The environment of this process.
    pub fn from_process() -> Self {
        let vars = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
        Self {
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            vars: vars.collect(),
            out: Mutex::new(Box::new(io::stdout())),
            err: Mutex::new(Box::new(io::stderr())),
            is_silent: AtomicBool::new(false),
            is_interactive: io::stdin().is_terminal() && io::stderr().is_terminal(),
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
            color: OnceLock::new(),
            progress: OnceLock::new(),
            is_captured: false,
            drains: AtomicBool::new(false),
            local_store: OnceLock::new(),
            fleet_settings: OnceLock::new(),
            fleet: OnceLock::new(),
            replica_calls: ReplicaCallsSlot::default(),
            tool_parent: OnceLock::new(),
        }
    }

    /// An environment that shares only the file system with this process: its output is
    /// captured, its store is in memory.
    pub fn captured(cwd: &Path, vars: &[(&str, &str)]) -> (Self, Captured) {
        let captured = Captured::default();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let environment = Self {
            cwd: cwd.to_owned(),
            vars: vars
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            out: Mutex::new(Box::new(captured.out.clone())),
            err: Mutex::new(Box::new(captured.err.clone())),
            is_silent: AtomicBool::new(false),
            is_interactive: false,
            out_is_terminal: false,
            err_is_terminal: false,
            color: OnceLock::new(),
            progress: OnceLock::new(),
            is_captured: true,
            drains: AtomicBool::new(false),
            local_store: OnceLock::from(store),
            fleet_settings: OnceLock::new(),
            fleet: OnceLock::new(),
            replica_calls: ReplicaCallsSlot::default(),
            tool_parent: OnceLock::from(None),
        };
        (environment, captured)
    }

    /// Uses the store in the state folder, instead of one in memory.
    pub fn persistent(self) -> Self {
        Self { local_store: OnceLock::new(), ..self }
    }

    /// The folder the run was started in.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// A variable of the environment.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Resolves references to variables in configured texts.
    pub fn lookup(&self) -> ReferenceLookup {
        let vars = self.vars.clone();
        let lookup = ReferenceLookup::new(move |name| vars.get(name).map(Into::into));
        match self.config_dir() {
            Some(folder) => lookup.with_secrets(&folder.join(SECRETS_FOLDER)),
            None => lookup,
        }
    }

    /// Whether this differs from the environment of this process. If so, no other process
    /// shares it.
    pub fn is_captured(&self) -> bool {
        self.is_captured
    }

    /// From now on an interrupt lets the run finish its requests; a second interrupt ends it at
    /// once.
    pub fn drain_when_interrupted(&self) {
        self.drains.store(true, Ordering::Relaxed);
    }

    /// Whether an interrupt lets the run finish its requests.
    pub fn drains_when_interrupted(&self) -> bool {
        self.drains.load(Ordering::Relaxed)
    }

    /// Whether the run can prompt an operator at a terminal. A tool may have given itself a
    /// terminal, but it does not answer for an operator.
    pub fn is_interactive(&self) -> bool {
        self.is_interactive && self.tool_parent().is_none()
    }

    /// Whether standard output is a terminal.
    pub fn out_is_terminal(&self) -> bool {
        self.out_is_terminal
    }

    /// Whether standard error is a terminal. If not, messages may end up in a log.
    pub fn err_is_terminal(&self) -> bool {
        self.err_is_terminal
    }

    /// The sign that a tool or a server of toolscout started this process; `None` if a person or
    /// another program did.
    pub fn tool_parent(&self) -> Option<ToolParent> {
        *self.tool_parent.get_or_init(ancestry::tool_parent)
    }

    /// The name of the account on this machine, for the audit log.
    pub fn account(&self) -> Option<&str> {
        self.var("LOGNAME").or(self.var("USER"))
    }

    /// Sets the color of the output; the first call counts.
    pub fn set_color(&self, choice: ColorChoice) {
        let _ = self.color.set(choice);
    }

    /// The style of standard output.
    pub fn style(&self) -> Style {
        self.style_of(self.out_is_terminal)
    }

    /// The style of messages on standard error.
    fn message_style(&self) -> Style {
        self.style_of(self.err_is_terminal)
    }

    fn style_of(&self, is_terminal: bool) -> Style {
        let choice = self.color.get().copied().unwrap_or_default();
        choice.style(is_terminal, |name| self.var(name))
    }

    /// Shows progress from now on, if standard error is a terminal that can erase lines.
    pub fn show_progress(&self) {
        if self.err_is_terminal && self.var("TERM") != Some("dumb") {
            let _ = self.progress.set(ProgressDisplay::at_terminal());
        }
    }

    /// The progress lines of this run.
    pub fn progress(&self) -> ProgressDisplay {
        self.progress.get().cloned().unwrap_or_default()
    }

    /// The style of help pages.
    pub fn help_layout(&self, locale: Locale) -> HelpLayout {
        let style = self.style();
        let width = self
            .var("COLUMNS")
            .and_then(|var| var.parse().ok())
            .unwrap_or(HelpLayout::default().width);
        HelpLayout { width, style, locale }
    }

    /// The width of output lines, if `COLUMNS` or a terminal sets one.
    pub fn width(&self) -> Option<usize> {
        let configured = self.var("COLUMNS").and_then(|var| var.parse().ok());
        let detected = || {
            rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col))
        };
        configured
            .or_else(|| detected().filter(|_| self.out_is_terminal))
            .filter(|width| *width > 0)
    }

    /// Prints data unchanged. A closed pipe, as in `toolscout tools | head`, is not an error.
    pub fn print(&self, text: &str) -> Result<(), AppError> {
        self.write(|out| out.write_all(text.as_bytes()))
    }

    /// As [`Environment::print`], for output that is not in memory as a whole.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), AppError> {
        let _pause = self.progress().pause();
        let mut out = self.out.lock();
        let mut out = io::BufWriter::with_capacity(64 * 1024, &mut *out);
        match write(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(AppError::Io { action: "write to standard output".to_owned(), cause: error })
            }
            _ => Ok(()),
        }
    }

    /// Writes no more messages to standard error, except the error that ends the run.
    pub fn silence(&self) {
        self.is_silent.store(true, Ordering::Relaxed);
    }

    /// Writes a message to standard error, unless it is silenced; failures are ignored.
    pub fn eprint(&self, text: &str) {
        if !self.is_silent.load(Ordering::Relaxed) {
            self.eprint_error(text);
        }
    }

    /// Writes the error that ends the run to standard error; failures are ignored.
    pub fn eprint_error(&self, text: &str) {
        self.write_err(paint_labels(text, self.message_style()).as_bytes());
    }

    /// Writes bytes to standard error unchanged; failures are ignored.
    pub fn write_err(&self, bytes: &[u8]) {
        let _pause = self.progress().pause();
        let mut err = self.err.lock();
        let _ = err.write_all(bytes).and_then(|()| err.flush());
    }

    /// Prompts for yes or no at the terminal; without a terminal the result is no.
    pub async fn confirm(&self, question: &str) -> bool {
        if !self.is_interactive() {
            return false;
        }
        let _pause = self.progress().pause();
        self.eprint(&format!("{question} [y/N] "));
        // On a blocking thread, so that the operator can interrupt the run while it waits.
        let answer =
            tokio::task::spawn_blocking(|| io::stdin().lines().next().and_then(Result::ok)).await;
        matches!(answer.ok().flatten().as_deref().map(str::trim), Some("y" | "Y" | "yes"))
    }

    /// Prompts for a text at the terminal without showing it; empty without a terminal.
    pub async fn prompt_secret(&self, question: &str) -> String {
        if !self.is_interactive() {
            return String::new();
        }
        let _pause = self.progress().pause();
        self.eprint(question);
        // Restores the terminal when it is dropped, also if the operator interrupts the run.
        let _hidden = HiddenInput::start();
        let line =
            tokio::task::spawn_blocking(|| io::stdin().lines().next().and_then(Result::ok)).await;
        self.eprint("\n");
        line.ok().flatten().unwrap_or_default()
    }

    /// The state folder.
    pub fn state_dir(&self) -> Option<PathBuf> {
        toolscout_store::state_dir(|name| self.var(name).map(Into::into))
    }

    /// The folder of the user's own configuration.
    pub fn config_dir(&self) -> Option<PathBuf> {
        toolscout_store::config_dir(|name| self.var(name).map(Into::into))
    }

    /// The store of persistent state. If it cannot be opened, the run warns once and continues
    /// without it.
    pub fn store(&self) -> Arc<dyn Store> {
        match self.fleet() {
            None => self.local_store(),
            Some(Ok(fleet)) => fleet.clone(),
            Some(Err(error)) => Arc::new(UnavailableStore { reason: error.to_string() }),
        }
    }

    /// Shares the state with other machines from now on. A second call has no effect: all projects
    /// of a process belong to one fleet.
    pub fn join_fleet(&self, settings: Result<FleetSettings, FleetError>) {
        let _ = self.fleet_settings.set(settings);
    }

    /// The store of the fleet, if the configuration names one; it connects on first use.
    pub fn fleet(&self) -> Option<&Result<Arc<FleetStore>, FleetError>> {
        let settings = self.fleet_settings.get()?;
        Some(self.fleet.get_or_init(|| {
            let fleet = settings.clone().and_then(|settings| self.open_fleet(settings));
            if let Err(error) = &fleet {
                let hint = error.hint().map(|hint| format!("\n  hint: {hint}"));
                self.eprint(&format!("warning: {error}{}\n", hint.unwrap_or_default()));
            }
            fleet.map(Arc::new)
        }))
    }

    /// Sends calls to the other replicas of the fleet; set once this process serves.
    pub fn replica_calls(&self) -> &ReplicaCallsSlot {
        &self.replica_calls
    }

    /// The settings of the fleet, if the configuration names one.
    pub fn fleet_settings(&self) -> Option<&Result<FleetSettings, FleetError>> {
        self.fleet_settings.get()
    }

    fn open_fleet(&self, settings: FleetSettings) -> Result<FleetStore, FleetError> {
        let Some(folder) = self.state_dir() else {
            return Err(FleetError::Copy("no state directory: set HOME".to_owned()));
        };
        FleetStore::open(self.local_store(), &folder, settings, &self.replica_name())
    }

    /// The name of this machine among the replicas of a fleet.
    pub(crate) fn replica_name(&self) -> String {
        self.var("TOOLSCOUT_REPLICA_NAME").map_or_else(host_name, str::to_owned)
    }

    /// The state of this machine alone.
    pub fn local_store(&self) -> Arc<dyn Store> {
        self.local_store.get_or_init(|| self.open_store()).clone()
    }

    fn open_store(&self) -> Arc<dyn Store> {
        let Some(dir) = self.state_dir() else {
            return Arc::new(UnavailableStore {
                reason: "no state directory: set HOME or TOOLSCOUT_STATE_DIR".to_owned(),
            });
        };
        match toolscout_store::SqliteStore::open(&dir) {
            Ok(store) => {
                if let Some(aside) = store.recovered() {
                    self.eprint(&format!(
                        "warning: the state database was unreadable; it was moved to `{}`, and a new one was created\n",
                        aside.display()
                    ));
                }
                Arc::new(store)
            }
            Err(error) => {
                self.eprint(&format!(
                    "warning: {error}\n  hint: nothing is stored until `{}` is writable\n",
                    dir.display()
                ));
                Arc::new(UnavailableStore { reason: error.to_string() })
            }
        }
    }
}

fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Typed characters are not shown until this is dropped.
struct HiddenInput(Option<rustix::termios::Termios>);

impl HiddenInput {
    fn start() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(io::stdin()).ok();
        if let Some(mut hidden) = before.clone() {
            hidden.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &hidden);
        }
        Self(before)
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let action = rustix::termios::OptionalActions::Now;
            let _ = rustix::termios::tcsetattr(io::stdin(), action, before);
        }
    }
}

/// The output of a captured run so far.
#[derive(Clone, Default)]
pub struct Captured {
    out: SharedBuffer,
    err: SharedBuffer,
}

impl Captured {
    /// The captured standard output.
    pub fn out(&self) -> String {
        self.out.text()
    }

    /// The captured standard error.
    pub fn err(&self) -> String {
        self.err.text()
    }
}

#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
