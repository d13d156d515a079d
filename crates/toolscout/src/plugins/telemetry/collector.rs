//! The target of spans: from the environment first, then from `[telemetry]`.

use crate::Startup;
use std::time::Duration;
use toolscout_core::BoxFuture;
use toolscout_http_client::{Post, PostResponse};
use toolscout_mcp_client::{ConfigText, ReferenceLookup};
use toolscout_telemetry::traces::{
    OtelEnvironment, TraceTarget, TraceTransport, TransportResponse,
};

const PATH: &str = "/v1/traces";

/// The configured target; `None` if there is none, or if this command only reads.
pub(super) fn target(startup: &Startup) -> Option<TraceTarget> {
    let (options, environment) = (&startup.options, &startup.environment);
    let otel =
        OtelEnvironment::read(|name| environment.var(name)).filter(|_| !options.command.only_reads);
    let otel = otel?;
    let settings = &startup.config.settings.telemetry;
    let endpoint = otel.endpoint.clone().map(Setting::Value);
    let url = endpoint.or_else(|| settings.otlp.clone().map(Setting::Text))?;
    let is_overridden =
        |name: &str| otel.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    let configured = settings.headers.iter().filter(|(name, _)| !is_overridden(name));
    let mut headers: Vec<_> =
        configured.map(|(name, text)| (name.clone(), Setting::Text(text.clone()))).collect();
    headers.extend(
        otel.headers.iter().map(|(name, value)| (name.clone(), Setting::Value(value.clone()))),
    );
    let address =
        CollectorAddress { url, is_base: otel.is_base, headers, lookup: environment.lookup() };
    Some(TraceTarget {
        open: Box::new(move || address.open()),
        resource: otel.resource(settings.service.as_deref().unwrap_or("toolscout")),
        content: settings.content.unwrap_or(false) || otel.content,
        timeout: otel.timeout,
        is_compressed: otel.is_compressed,
    })
}

/// The address of the collector, with references that are not resolved yet.
struct CollectorAddress {
    url: Setting,
    is_base: bool,
    headers: Vec<(String, Setting)>,
    lookup: ReferenceLookup,
}

/// A value from the environment, or a configured text that may refer to a secret.
enum Setting {
    Value(String),
    Text(ConfigText),
}

impl Setting {
    fn resolve(&self, lookup: &ReferenceLookup) -> Result<String, String> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::Text(text) => text.resolve(lookup),
        }
    }
}

impl CollectorAddress {
    fn open(&self) -> Result<Box<dyn TraceTransport>, String> {
        let url = self.url.resolve(&self.lookup)?;
        let url = url.trim().trim_end_matches('/');
        let url = if self.is_base && !url.ends_with(PATH) {
            format!("{url}{PATH}")
        } else {
            url.to_owned()
        };
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| Ok((name.clone(), value.resolve(&self.lookup)?)));
        let headers = headers.collect::<Result<Vec<_>, String>>()?;
        Ok(Box::new(Collector(Post::new(&url, &headers, "application/json")?)))
    }
}

struct Collector(Post);

impl TraceTransport for Collector {
    fn display_url(&self) -> String {
        self.0.display_url()
    }

    fn send(
        &self,
        body: Vec<u8>,
        encoding: Option<&'static str>,
        limit: Duration,
    ) -> BoxFuture<'_, Result<TransportResponse, String>> {
        Box::pin(async move {
            let PostResponse { status, retry_after } = self.0.send(body, encoding, limit).await?;
            Ok(TransportResponse { status, retry_after })
        })
    }
}
