//! What happens, told to other programs: numbers for Prometheus, spans for OpenTelemetry.

mod metrics;
mod traces;

use crate::{AfterSetup, AppError, Decorator, Next, Options, Plugin, RunCx, Setup, Surroundings};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use toolscout_core::BoxFuture;
use toolscout_core::event::Observer;
use toolscout_surface::codes::Exit;
use traces::{Target, Traces};

pub use metrics::Metrics;

/// What is left to send when a command is done may take this long.
const FLUSH: Duration = Duration::from_secs(1);

/// Offers [`Metrics`] to the other plugins, and has them count while agents are served. Sends spans to where the environment
/// (`OTEL_EXPORTER_OTLP_ENDPOINT`) or `[telemetry]` says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Telemetry;

/// The traces of this run, once it is known whether there are any.
#[derive(Clone, Default)]
struct OfRun(Arc<OnceLock<Arc<Traces>>>);

impl Plugin for Telemetry {
    fn id(&self) -> &str {
        "telemetry"
    }

    fn setup<'a>(&'a self, cx: &'a mut Setup) -> BoxFuture<'a, Result<(), AppError>> {
        cx.offer(Metrics::default());
        let metrics = cx.offered::<Metrics>();
        // Nobody reads what a short command has counted.
        cx.add_observer(move |options, _| Ok(metrics.filter(|_| options.serves()).map(|it| it as Arc<dyn Observer>)));
        let of_run = OfRun::default();
        cx.offer(of_run.clone());
        cx.decorate(of_run.clone());
        cx.add_observer(move |options, surroundings| of_run.begin(options, surroundings));
        Box::pin(async { Ok(()) })
    }

    fn after_setup<'a>(&'a self, cx: &'a AfterSetup) -> BoxFuture<'a, Result<(), AppError>> {
        if let Some(metrics) = cx.offered::<Metrics>().filter(|_| cx.options().serves()) {
            metrics.of_gateway(cx.tools().shared_gateway());
        }
        if let Some(traces) = cx.offered::<OfRun>().and_then(|it| it.0.get().cloned()) {
            let surroundings = cx.surroundings().clone();
            traces.tell(Box::new(move |text| surroundings.say(text)));
        }
        Box::pin(async { Ok(()) })
    }
}

impl OfRun {
    fn begin(&self, options: &Options, surroundings: &Surroundings) -> Result<Option<Arc<dyn Observer>>, AppError> {
        let traces = Target::of(options, surroundings)?.map(Traces::to);
        Ok(traces.map(|it| self.0.get_or_init(|| it).clone() as Arc<dyn Observer>))
    }
}

impl Decorator for OfRun {
    fn around<'a>(&'a self, cx: &'a RunCx, next: Next<'a>) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let done = next.run(cx).await;
            if let Some(traces) = self.0.get() {
                traces.finish(FLUSH).await;
            }
            done
        })
    }
}
