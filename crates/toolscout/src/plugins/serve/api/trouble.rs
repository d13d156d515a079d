//! What ends a run of the program, as the API says it.

use crate::AppError;
use toolscout_core::{ErrorKind, redact};
use toolscout_surface::api::{Code, Trouble};

/// The same, as the API says it.
pub(super) fn told(error: impl Into<AppError>) -> Trouble {
    let error = error.into();
    let hint = error.hint();
    let trouble = match error {
        AppError::Gateway(error) => return error.into(),
        AppError::Source(error) => return error.into(),
        AppError::Config(error) => Trouble::of_kind(error.kind(), redact::text(&error.to_string())),
        AppError::Said { kind, message, .. } => Trouble::of_kind(kind, redact::text(&message)),
        AppError::Io { .. } => Trouble::new(Code::Conflict, redact::text(&error.to_string())),
        other => Trouble::of_kind(ErrorKind::Invalid, redact::text(&other.to_string())),
    };
    match hint {
        Some(hint) => trouble.hint(hint),
        None => trouble,
    }
}
