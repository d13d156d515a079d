//! Whether this run learns from what is asked and called, and where that is kept.

use crate::config::Config;
use crate::plugins::discovery::Place;
use crate::{AppError, Decorator, Next, Options, RunCx, Surroundings};
use toolscout_core::BoxFuture;
use toolscout_gateway::{GatewayBuilder, Learning};
use toolscout_mcp_client::partition;
use toolscout_surface::cli::OptionSpec;
use toolscout_surface::codes::Exit;

/// Says no for one run, as [`OptionSpec`] does.
const VARIABLE: &str = "TOOLSCOUT_NO_LEARN";

pub(in crate::plugins::cli) fn no_learn() -> OptionSpec {
    OptionSpec::switch("no-learn", "Learn nothing from this run, and use nothing that was learned")
}

/// Gives the gateway what was learned. `is_configured`: whether there are files that may say no.
pub(in crate::plugins::cli) fn rule(
    is_configured: bool,
    gateway: GatewayBuilder,
    options: &Options,
    surroundings: &Surroundings,
) -> Result<GatewayBuilder, AppError> {
    let folder = options.folder(surroundings.cwd());
    let (project, is_allowed) = match is_configured {
        true => {
            let (place, config) = (Place::of(options, surroundings)?, Config::of(options, surroundings)?);
            (partition(place.project()), config.settings.search.learn != Some(false))
        }
        false => (partition(&folder), true),
    };
    let learning = Learning::new(surroundings.store(), project);
    let is_off = options.switch("no-learn") || surroundings.var(VARIABLE).is_some() || !is_allowed;
    Ok(gateway.learning(if is_off { learning.off() } else { learning }))
}

/// Waits until what was learned is written, when a command is done.
pub(in crate::plugins::cli) struct Settle;

impl Decorator for Settle {
    fn around<'a>(&'a self, cx: &'a RunCx, next: Next<'a>) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let done = next.run(cx).await;
            let learning = cx.tools().gateway().learning().clone();
            if !learning.is_idle() {
                // Writing may have to wait for another process; whoever interrupts us must not.
                let _ = tokio::task::spawn_blocking(move || learning.settle()).await;
            }
            done
        })
    }
}
