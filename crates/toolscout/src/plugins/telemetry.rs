//! Metrics for Prometheus and traces for OpenTelemetry, from settings.

mod collector;

use crate::{AfterSetup, AppError, Decorator, Next, Plugin, RunCx, Setup, Startup};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use toolscout_core::event::Observer;
use toolscout_core::{BoxFuture, SourceKind};
use toolscout_gateway::Gateway;
use toolscout_surface::codes::Exit;
use toolscout_telemetry::{CatalogCounts, FleetGauges, TracedServers, Traces};
use toolscout_workspace::{Environment, journal};

pub use toolscout_telemetry::Metrics;

/// The time limit for sending the remaining spans when a command is done.
const FLUSH: Duration = Duration::from_secs(1);

/// Offers [`Metrics`] to the other plugins, and updates them while agents are served. Sends spans
/// to the target in the environment (`OTEL_EXPORTER_OTLP_ENDPOINT`) or in `[telemetry]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Telemetry;

/// The traces of this run, set once it is known whether traces are enabled.
#[derive(Clone, Default)]
struct OfRun(Arc<OnceLock<Arc<Traces>>>);

impl Plugin for Telemetry {
    fn id(&self) -> &str {
        "telemetry"
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        let metrics = cx.once_per_process::<Arc<Metrics>>();
        cx.parts.metrics = Some(metrics.clone());
        // Only a process that serves is scraped.
        cx.add_observer(move |startup| {
            Ok(startup.options.command.serves.then_some(metrics as Arc<dyn Observer>))
        });
        let of_run = cx.once_per_process::<OfRun>();
        cx.decorate(of_run.clone());
        cx.offer(of_run.clone());
        cx.add_observer(move |startup| of_run.begin(startup));
        Ok(())
    }

    fn after_setup(&self, cx: &AfterSetup) -> Result<(), AppError> {
        if let Some(metrics) =
            cx.workspace.parts.metrics.as_ref().filter(|_| cx.options().command.serves)
        {
            let gateway = cx.tools().shared_gateway();
            metrics.add_catalog(move || count(&gateway));
            let environment = cx.workspace.environment.clone();
            metrics.set_fleet(move || fleet_gauges(&environment));
        }
        if let Some(traces) = cx.offered::<OfRun>().and_then(|of_run| of_run.0.get().cloned()) {
            let gateway = cx.tools().shared_gateway();
            traces.set_servers(move || servers(&gateway));
        }
        Ok(())
    }
}

fn count(gateway: &Gateway) -> CatalogCounts {
    let mut counts = CatalogCounts { sources: gateway.sources().len(), ..CatalogCounts::default() };
    for tool in gateway.snapshot().tools() {
        *counts.tools.entry((tool.id.source.clone(), tool.status.as_str())).or_default() += 1;
    }
    counts
}

/// None without a fleet.
fn fleet_gauges(environment: &Environment) -> Option<FleetGauges> {
    let fleet = environment.fleet()?.as_ref().ok()?;
    Some(FleetGauges {
        replica: fleet.replica_name().to_owned(),
        is_connected: fleet.contact().is_ok(),
        contact_age: fleet.contact_age(),
        revisions_behind: fleet.revisions_behind(),
        unshipped_records: journal::unshipped_records(environment).unwrap_or(0),
        live_replicas: fleet.live_replicas().len(),
    })
}

/// The MCP servers that all requests share. A server without tools counts as not discovered.
fn servers(gateway: &Gateway) -> TracedServers {
    let (sources, snapshot) = (gateway.sources(), gateway.snapshot());
    let fresh: HashSet<_> = snapshot
        .tools()
        .filter(|tool| !tool.provenance.stale)
        .map(|tool| tool.id.source.as_str())
        .collect();
    let servers = sources.iter().filter(|source| source.kind() == SourceKind::Mcp);
    let names: Vec<_> = servers.map(|source| source.id().to_string()).collect();
    let needs_discovery = names.iter().any(|name| !fresh.contains(name.as_str()));
    TracedServers { names, needs_discovery }
}

impl OfRun {
    fn begin(&self, startup: &Startup) -> Result<Option<Arc<dyn Observer>>, AppError> {
        if let Some(traces) = self.0.get() {
            return Ok(Some(traces.clone()));
        }
        let traces = collector::target(startup).map(Traces::new);
        if let Some(traces) = &traces {
            let environment = startup.environment.clone();
            traces.set_notify(Box::new(move |text| environment.eprint(text)));
        }
        Ok(traces.map(|trace| self.0.get_or_init(|| trace).clone() as Arc<dyn Observer>))
    }
}

impl Decorator for OfRun {
    fn around<'a>(
        &'a self,
        cx: &'a RunCx,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Exit, AppError>> {
        Box::pin(async move {
            let done = next.run(cx).await;
            if let Some(traces) = self.0.get() {
                traces.finish(FLUSH).await;
            }
            done
        })
    }
}
