//! Writes log events to standard error, if requested.

mod writer;

use crate::{AfterSetup, AppError, Plugin, Setup};
use toolscout_surface::cli::OptionSpec;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use writer::Shape;

/// Network libraries whose own logs are too verbose.
const VERBOSE_LIBRARIES: [&str; 5] = ["h2", "hyper", "hyper_util", "reqwest", "rustls"];

/// Adds `--log-format`. With it, or with `--verbose`, events go to standard error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Logs;

impl Plugin for Logs {
    fn id(&self) -> &str {
        "logs"
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        let formats = ["text", "json"];
        cx.add_option(
            OptionSpec::text("log-format", "Log events in this format")
                .value("FORMAT")
                .choices(formats),
        )
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        let format = cx.options().text("log-format");
        if format.is_none() && !cx.options().switch("verbose") {
            return Ok(());
        }
        let events = tracing_subscriber::fmt()
            .with_max_level(LevelFilter::DEBUG)
            .with_writer(if format == Some("json") { Shape::Json } else { Shape::Line })
            .with_ansi(false);
        let libraries = VERBOSE_LIBRARIES.map(|library| (library, LevelFilter::WARN));
        let filter = Targets::new().with_default(LevelFilter::DEBUG).with_targets(libraries);
        // Only the first program of a process can install a subscriber; for a second one the error
        // is ignored.
        let _ = match format {
            Some("json") => events.json().flatten_event(true).finish().with(filter).try_init(),
            _ => events.without_time().with_target(false).finish().with(filter).try_init(),
        };
        Ok(())
    }
}
