//! Errors that end a run of the program.

use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, ErrorKind, SourceError};
use toolscout_surface::cli::UsageErrors;
use toolscout_surface::codes::Exit;
use toolscout_surface::operation::{ErrorCode, OperationError};

/// An error that ends a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The command line cannot be parsed.
    #[error("{errors}")]
    Usage {
        /// All mistakes in it.
        errors: UsageErrors,
        /// The command that shows its help.
        help: Option<String>,
    },
    /// No command of that name.
    #[error("Command not found: {}", toolscout_core::escape::line(name))]
    UnknownCommand {
        /// The typed name.
        name: String,
        /// The command with the most similar name.
        nearest: Option<String>,
        /// A file that may have it, but has not been inspected.
        hint: Option<String>,
    },
    /// The gateway failed.
    #[error(transparent)]
    Gateway(#[from] toolscout_gateway::Error),
    /// Configuration could not be read or changed.
    #[error(transparent)]
    Config(#[from] toolscout_config::ConfigError),
    /// A source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A diagnostic that strict mode made fatal.
    #[error("{}", with_path(.0))]
    Stopped(Box<Diagnostic>),
    /// The plugins are incompatible.
    #[error(transparent)]
    Lifecycle(#[from] LifecycleError),
    /// The operating system reported an error.
    #[error("could not {action}: {cause}")]
    Io {
        /// The action, for example `write PATH`.
        action: String,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// An operation failed.
    #[error("{}", toolscout_core::escape::text(&.0.message))]
    Operation(Box<OperationError>),
    /// Any other error, with its own message.
    #[error("{message}")]
    Message {
        /// Who caused the error, and what to do about it.
        kind: ErrorKind,
        /// The message.
        message: String,
        /// The next command to type.
        hint: Option<String>,
    },
}

impl AppError {
    /// Invalid input, with a hint how to correct it.
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Message { kind: ErrorKind::Invalid, message: message.into(), hint: Some(hint.into()) }
    }

    /// A temporary failure, with a hint how to correct it.
    pub fn unavailable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Message {
            kind: ErrorKind::Unavailable,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// State that could not be stored.
    pub fn not_stored(error: impl ToString) -> Self {
        Self::unavailable(error.to_string(), "set TOOLSCOUT_STATE_DIR to a writable folder")
    }

    /// Adds the help of this command to a usage error.
    pub fn with_command_help(self, program: &str, name: &str) -> Self {
        match self {
            Self::Usage { errors, help: None } => {
                Self::Usage { errors, help: Some(format!("{program} {name} --help")) }
            }
            other => other,
        }
    }

    /// For `map_err`: names the action and its path.
    pub fn io(verb: &str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let action = format!("{verb} `{}`", path.into().display());
        |cause| Self::Io { action, cause }
    }

    /// The exit code of the process.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::Stopped(_) | Self::Lifecycle(_) => Exit::Usage,
            Self::UnknownCommand { .. } => Exit::NotFound,
            Self::Gateway(error) => error.kind().into(),
            Self::Config(error) => error.kind().into(),
            Self::Source(error) => error.kind().into(),
            Self::Io { .. } => Exit::Unavailable,
            Self::Operation(error) => error.code.exit(),
            Self::Message { kind, .. } => (*kind).into(),
        }
    }

    /// The machine-readable code, as over HTTP.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Usage { .. } | Self::Stopped(_) | Self::Lifecycle(_) => {
                ErrorCode::ValidationFailed
            }
            Self::UnknownCommand { .. } => ErrorCode::ResourceNotFound,
            Self::Gateway(error) => OperationError::gateway_code(error),
            Self::Config(error) => error.kind().into(),
            Self::Source(SourceError::Login { .. }) => ErrorCode::LoginRequired,
            Self::Source(error) => error.kind().into(),
            Self::Io { .. } => ErrorCode::SourceUnavailable,
            Self::Operation(error) => error.code,
            Self::Message { kind, .. } => (*kind).into(),
        }
    }

    /// The next command to type, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Source(error) | Self::Gateway(toolscout_gateway::Error::Source(error))
                if login(error).is_some() =>
            {
                login(error)
            }
            Self::Gateway(error) => error.hint(),
            Self::Config(error) => error.hint(),
            Self::UnknownCommand { hint: Some(hint), .. } => Some(hint.clone()),
            Self::UnknownCommand { nearest: None, .. } => {
                Some("run `toolscout tools` to list all tools".to_owned())
            }
            Self::Usage { help, .. } => help.clone(),
            Self::Message { hint, .. } => hint.clone(),
            Self::Operation(error) => error.hint.clone(),
            Self::Stopped(diagnostic) => diagnostic.hint.clone(),
            _ => None,
        }
    }
}

/// The command that logs in to the server, if the error is a missing login.
pub(crate) fn login(error: &SourceError) -> Option<String> {
    match error {
        SourceError::Login { id, .. } => Some(format!("toolscout server login {id}")),
        _ => None,
    }
}

impl From<OperationError> for AppError {
    fn from(error: OperationError) -> Self {
        Self::Operation(Box::new(error))
    }
}

impl From<AppError> for OperationError {
    fn from(error: AppError) -> Self {
        let hint = error.hint();
        let mut failure = match error {
            AppError::Gateway(error) => return error.into(),
            AppError::Source(error) => return error.into(),
            AppError::Operation(error) => return *error,
            AppError::Config(error) => Self::from_kind(error.kind(), error.to_string()),
            AppError::Message { kind, message, .. } => Self::from_kind(kind, message),
            AppError::Io { .. } => Self::new(ErrorCode::Internal, error.to_string()),
            other => Self::invalid(other.to_string()),
        };
        failure.hint = hint;
        failure
    }
}

/// For `map_err` in operations: any error of the app or of the crates below it.
pub(crate) fn failure(error: impl Into<AppError>) -> OperationError {
    error.into().into()
}

impl From<UsageErrors> for AppError {
    fn from(errors: UsageErrors) -> Self {
        Self::Usage { errors, help: None }
    }
}

/// For `map_err` in local operations: the operating system reported an error about a file of
/// the operator.
pub(crate) fn file_failure(
    verb: &str,
    path: &Path,
) -> impl FnOnce(std::io::Error) -> OperationError {
    let to_error = AppError::io(verb, path);
    |cause| failure(to_error(cause)).with_code(ErrorCode::SourceUnavailable)
}

/// A diagnostic with its hint, as a warning of an operation.
pub(crate) fn describe(diagnostic: &Diagnostic) -> String {
    let hint =
        diagnostic.hint.as_deref().map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
    diagnostic.message.clone() + &hint
}

fn with_path(diagnostic: &Diagnostic) -> String {
    let message = toolscout_core::escape::text(&diagnostic.message).into_owned();
    match &diagnostic.path {
        Some(path) => {
            format!("{}: {message}", toolscout_core::escape::line(&path.display().to_string()))
        }
        None => message,
    }
}

/// Incompatible plugins or commands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LifecycleError {
    /// Two plugins have the same id.
    #[error("Plugin '{id}' is registered twice")]
    Twice {
        /// The id.
        id: String,
    },
    /// A required plugin is missing.
    #[error("Plugin '{plugin}' requires '{missing}', which is missing")]
    Missing {
        /// The plugin that requires it.
        plugin: String,
        /// The missing plugin.
        missing: String,
    },
    /// Plugins require each other in a cycle.
    #[error("Plugins require each other in a cycle: {}", path.join(" -> "))]
    Cycle {
        /// The cycle; its first plugin is repeated at the end.
        path: Vec<String>,
    },
    /// Two commands have the same name.
    #[error("Command '{name}' is already registered")]
    DuplicateCommand {
        /// The name.
        name: String,
    },
    /// A command has an empty name.
    #[error("Command name must be a non-empty string")]
    EmptyCommand,
    /// Two options of the program have the same name, or one has a name of every program.
    #[error("Global option '{name}' is already registered")]
    DuplicateOption {
        /// The name.
        name: String,
    },
    /// Two options of the program have the same short form.
    #[error("Global option '{name}' cannot use '-{short}', which belongs to '{taken_by}'")]
    DuplicateShort {
        /// The option that was added later.
        name: String,
        /// The letter.
        short: char,
        /// The option that already has the letter.
        taken_by: String,
    },
    /// An option of the program has an empty name.
    #[error("Option name must be a non-empty string")]
    EmptyOption,
    /// A command was added after the command line was resolved.
    #[error("Command '{name}' was added too late: commands are added in setup or after-setup")]
    TooLate {
        /// The name.
        name: String,
    },
    /// Two sources have the same id.
    #[error(transparent)]
    Sources(#[from] toolscout_gateway::DuplicateSource),
}

impl From<toolscout_telemetry::TelemetryError> for AppError {
    fn from(error: toolscout_telemetry::TelemetryError) -> Self {
        use toolscout_telemetry::TelemetryError;
        match error {
            TelemetryError::InvalidQuery { message, hint } => Self::invalid(message, hint),
            TelemetryError::Io { action, path, source } => Self::io(action, path)(source),
            other => Self::invalid(other.to_string(), "toolscout audit verify"),
        }
    }
}
