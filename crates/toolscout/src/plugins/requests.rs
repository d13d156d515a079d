//! Tools per request: from the configuration, and from an application's own code.

use crate::{AppError, Plugin, Setup, Startup};
use std::sync::Arc;
use toolscout_config::RequestToolsSettings;
use toolscout_core::{RequestSources, SourceId};
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
        let given = self.given.clone();
        cx.rule(move |gateway, startup| {
            let gateway =
                given.into_iter().fold(gateway, |gateway, value| gateway.request_sources(value));
            if startup.options.text("tools-from").is_some() {
                return Ok(gateway);
            }
            let folders = folders(startup)?;
            Ok(folders
                .into_iter()
                .fold(gateway, |gateway, it| gateway.request_sources(Arc::new(it))))
        });
        Ok(())
    }
}

fn folders(startup: &Startup) -> Result<Vec<RequestFolder>, AppError> {
    let configured = startup.config.settings.request_tools.iter().flatten().enumerate();
    configured.map(|(at, it)| folder(it, at, startup)).collect()
}

fn folder(
    said: &RequestToolsSettings,
    at: usize,
    startup: &Startup,
) -> Result<RequestFolder, AppError> {
    let hint = "look at `[[request_tools]]` in the configuration";
    let wrong = |why: String| AppError::invalid(format!("`request_tools`: {why}"), hint);
    // Trust, limits and the store are those of the project's own folders.
    let begun = startup.folder_builder()?;
    let RequestToolsSettings { header, pattern, folder, source } = said;
    let usual = || if at == 0 { "own".to_owned() } else { format!("own-{}", at + 1) };
    let id =
        SourceId::new(&source.clone().unwrap_or_else(usual)).map_err(|it| wrong(it.to_string()))?;
    if SourceId::RESERVED.contains(&id.as_str()) {
        return Err(wrong(format!("the id `{id}` is toolscout's own; call it something else")));
    }
    let made =
        RequestFolder::new(header, pattern, startup.config.project_folder(), folder, move || {
            begun.clone()
        });
    made.map(|it| it.named(id)).map_err(|it| wrong(it.to_string()))
}
