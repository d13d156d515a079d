//! Configures search: the encoder, the language, and the index cached between runs.

use crate::{AppError, Decorator, Next, Plugin, RunCx, Setup, Startup};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use toolscout_config::SearchSettings;
use toolscout_core::BoxFuture;
use toolscout_encoder::MiniLm;
use toolscout_gateway::{Encoder, LazyEncoder, SearchEngine};
use toolscout_mcp_client::partition;
use toolscout_surface::codes::Exit;

/// Adds semantic search, and caches embeddings between runs.
///
/// Without it the gateway searches by keywords, and indexes all tools again in each run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Search;

impl Plugin for Search {
    fn id(&self) -> &str {
        "search"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.rule(|gateway, startup| Ok(gateway.search_engine(search_engine(startup))));
        cx.decorate(SaveSearchData);
        Ok(())
    }
}

/// Writes the cached search data when a command is done.
struct SaveSearchData;

impl Decorator for SaveSearchData {
    fn around<'a>(
        &'a self,
        cx: &'a RunCx,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let done = next.run(cx).await;
            cx.tools().gateway().save_search_data().await;
            done
        })
    }
}

fn search_engine(startup: &Startup) -> SearchEngine {
    let Startup { options, environment, config, .. } = startup;
    // `--tools-from` has its own cache: its tools are not the project's catalog.
    let from = options
        .text("tools-from")
        .map(|value| format!("-{}", &blake3::hash(value.as_bytes()).to_hex()[..16]));
    let project = partition(config.project_folder()) + &from.unwrap_or_default();
    let settings = &config.settings.search;
    let engine = SearchEngine::new()
        .language(settings.language.unwrap_or_default())
        .stored_in(environment.store(), &project);
    match settings.semantic {
        Some(false) => engine,
        _ => engine.encoder(encoder(settings)),
    }
}

/// The user's own model, or the built-in one. Nothing is read before the first search.
fn encoder(settings: &SearchSettings) -> LazyEncoder {
    let Some(path) = settings.model.clone() else {
        return LazyEncoder::new(|| {
            MiniLm::built_in()
                .map(|value| shared(value.clone()))
                .map_err(|error| with_causes(&error))
        });
    };
    let id = own_id(&path);
    LazyEncoder::new(move || MiniLm::open(&path).map(shared).map_err(|error| with_causes(&error)))
        .named(id)
}

fn shared(model: MiniLm) -> Arc<dyn Encoder> {
    Arc::new(model)
}

/// The text of an error and of its causes.
fn with_causes(error: &dyn Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(value) = cause {
        text += &format!(": {value}");
        cause = value.source();
    }
    text
}

/// An id that changes with the path and metadata of the model: hashing its content would take
/// longer than a search.
fn own_id(path: &Path) -> String {
    let files = ["", "config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"];
    let look = |file: &str| {
        let found = fs::metadata(path.join(file)).ok()?;
        let written = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        // The metadata of a folder changes whenever a file is added next to the model, so it is
        // left out.
        Some((found.is_file().then_some((found.len(), written.as_nanos())), file.to_owned()))
    };
    let looks: Vec<_> = files.iter().map(|file| look(file)).collect();
    let whole = format!("{} {looks:?}", path.display());
    format!("own-{}", &blake3::hash(whole.as_bytes()).to_hex()[..24])
}
