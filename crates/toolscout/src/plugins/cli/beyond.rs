//! Names that lead to a server which searches for itself: what it has nobody here knows before it is asked.

use crate::{AppError, RunCx};
use std::sync::Arc;
use toolscout_core::{ErrorKind, Tool, escape};
use toolscout_gateway::Gateway;

/// The tool of this name, among those that are known. Reaches nobody, and so says what would ask whom.
pub(super) async fn resolve(cx: &RunCx, gateway: &Gateway, name: &str) -> Result<Arc<Tool>, AppError> {
    let error = match gateway.resolve(name) {
        Ok(tool) => return Ok(tool),
        Err(error) => error,
    };
    let forms = ['/', ':'].into_iter().filter_map(|it| name.split_once(it)).chain(name.split_once("__"));
    let view = gateway.view(&cx.request()).await;
    let mut forms = forms.filter(|(source, _)| view.delegates().any(|it| it.as_str() == *source));
    match (error.kind(), forms.next()) {
        (ErrorKind::NotFound, Some((source, inner))) => {
            let (name, inner) = (escape::line(name), escape::line(inner));
            let message = format!("nobody has asked `{source}` yet whether it has `{name}`");
            let hint = format!("{} search '{inner}' --json asks it, and shows what its tools take", cx.program());
            Err(AppError::Said { kind: ErrorKind::NotFound, message, hint: Some(hint) })
        }
        _ => Err(error.into()),
    }
}
