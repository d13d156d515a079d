//! Whether this run records relevance feedback, and where it is stored.

use crate::{AppError, Decorator, Next, RunCx, Startup};
use toolscout_core::BoxFuture;
use toolscout_gateway::{GatewayBuilder, Learning};
use toolscout_mcp_client::partition;
use toolscout_surface::cli::OptionSpec;
use toolscout_surface::codes::Exit;

/// Disables learning for one run, like `--no-learn`.
const VARIABLE: &str = "TOOLSCOUT_NO_LEARN";

pub(in crate::plugins::cli) fn no_learn() -> OptionSpec {
    OptionSpec::switch("no-learn", "Neither record nor use relevance feedback in this run")
}

/// Configures the gateway with the relevance feedback.
pub(in crate::plugins::cli) fn rule(
    gateway: GatewayBuilder,
    startup: &Startup,
) -> Result<GatewayBuilder, AppError> {
    let Startup { options, environment, config, .. } = startup;
    let learning = Learning::new(environment.store(), partition(config.project_folder()));
    let is_allowed = config.settings.search.learn != Some(false);
    let is_off = options.switch("no-learn") || environment.var(VARIABLE).is_some() || !is_allowed;
    Ok(gateway.learning(if is_off { learning.off() } else { learning }))
}

/// Flushes the relevance feedback when a command is done.
pub(in crate::plugins::cli) struct FlushLearning;

impl Decorator for FlushLearning {
    fn around<'a>(
        &'a self,
        cx: &'a RunCx,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let done = next.run(cx).await;
            let learning = cx.tools().gateway().learning().clone();
            if !learning.is_idle() {
                // Writing may wait for another process; an interrupt must not.
                let _ = tokio::task::spawn_blocking(move || learning.flush()).await;
            }
            done
        })
    }
}
