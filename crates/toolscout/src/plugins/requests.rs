//! Tools per request: from the configuration, and from an application's own code.

use crate::{AfterSetup, AppError, Plugin, Setup, Startup};
use parking_lot::Mutex;
use std::sync::Arc;
use toolscout_config::RequestToolsSettings;
use toolscout_core::{Diagnostic, DiagnosticKind, RequestSources, SourceId};
use toolscout_folder::RequestFolder;

/// Adds the sources of `[[request_tools]]`, and those that an application provides per request.
///
/// ```
/// use toolscout::plugins::Requests;
/// use toolscout::source::request::{header, request_tools};
///
/// let requests = Requests::default().sources(request_tools(
///     |cx| header(cx, "x-user-id").map(str::to_owned),
///     |_user, _cx| Vec::new(),
/// ));
/// # let _ = requests;
/// ```
#[derive(Default)]
pub struct Requests {
    given: Vec<Arc<dyn RequestSources>>,
    /// Diagnostics about entries that are skipped.
    diagnostics: Arc<Mutex<Vec<Diagnostic>>>,
}

impl Requests {
    /// Adds a provider of sources for each request. If several have tools with the same name, the
    /// first one added wins.
    pub fn sources(mut self, sources: impl RequestSources) -> Self {
        self.given.push(Arc::new(sources));
        self
    }
}

impl Plugin for Requests {
    fn id(&self) -> &str {
        "requests"
    }

    fn wants(&self) -> Vec<&str> {
        vec!["discovery", "servers"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        let (given, diagnostics) = (self.given.clone(), self.diagnostics.clone());
        cx.rule(move |gateway, startup| {
            let gateway =
                given.into_iter().fold(gateway, |gateway, value| gateway.request_sources(value));
            if startup.options.text("tools-from").is_some() {
                return Ok(gateway);
            }
            let configured = startup.config.settings.request_tools.iter().flatten().enumerate();
            let mut gateway = gateway;
            for (at, entry) in configured {
                match folder(entry, at, startup)? {
                    Ok(folder) => gateway = gateway.request_sources(Arc::new(folder)),
                    Err(diagnostic) => diagnostics.lock().push(diagnostic),
                }
            }
            Ok(gateway)
        });
        Ok(())
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        self.diagnostics.lock().drain(..).for_each(|diagnostic| cx.tools().warn(&diagnostic));
        Ok(())
    }
}

/// The folder of an entry, or the reason why the entry is skipped.
fn folder(
    entry: &RequestToolsSettings,
    at: usize,
    startup: &Startup,
) -> Result<Result<RequestFolder, Diagnostic>, AppError> {
    let skipped = |why: String| {
        let message = format!("an entry of `request_tools` is skipped: {why}");
        let hint = "check `[[request_tools]]` in the configuration";
        Ok(Err(Diagnostic::warning(DiagnosticKind::Broken, message).with_hint(hint)))
    };
    // Trust, limits and the store are those of the project's own folders.
    let builder = startup.folder_builder()?;
    let RequestToolsSettings { header, pattern, folder, source } = entry;
    let default_id = || if at == 0 { "own".to_owned() } else { format!("own-{}", at + 1) };
    let id = match SourceId::new(&source.clone().unwrap_or_else(default_id)) {
        Ok(id) if SourceId::RESERVED.contains(&id.as_str()) => {
            return skipped(format!("the id `{id}` is reserved for toolscout; use another one"));
        }
        Ok(id) => id,
        Err(error) => return skipped(error.to_string()),
    };
    let opened =
        RequestFolder::new(header, pattern, startup.config.project_folder(), folder, move || {
            builder.clone()
        });
    match opened {
        Ok(folder) => Ok(Ok(folder.named(id))),
        Err(error) => skipped(error.to_string()),
    }
}
