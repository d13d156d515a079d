//! The environment variables of OpenTelemetry.

use super::attributes::Attributes;
use percent_encoding::percent_decode_str;
use std::time::Duration;
use toolscout_core::redact;

/// Timeout of a request, unless the environment sets one.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The settings from the `OTEL_…` variables.
pub struct OtelEnvironment {
    /// The endpoint, if one is set.
    pub endpoint: Option<String>,
    /// Whether the path of the signal has to be appended to the endpoint.
    pub is_base: bool,
    /// Headers of each request. Their values are registered as secrets.
    pub headers: Vec<(String, String)>,
    /// Attributes that describe this process.
    pub resource: Vec<(String, String)>,
    /// Whether queries and arguments are exported.
    pub content: bool,
    /// Timeout of a request.
    pub timeout: Duration,
    /// Whether bodies are compressed with gzip.
    pub is_compressed: bool,
}

impl OtelEnvironment {
    /// Reads the variables. Returns none if they switch traces off.
    pub fn read<'a>(var: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let var = |name: &str| var(name).filter(|value| !value.trim().is_empty());
        let is_true =
            |name: &str| var(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        if is_true("OTEL_SDK_DISABLED") || var("OTEL_TRACES_EXPORTER") == Some("none") {
            return None;
        }
        let exact = var("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let timeout =
            var("OTEL_EXPORTER_OTLP_TIMEOUT").and_then(|millis| millis.trim().parse::<u64>().ok());
        let mut resource: Vec<_> =
            var("OTEL_RESOURCE_ATTRIBUTES").into_iter().flat_map(pairs).collect();
        resource.extend(
            var("OTEL_SERVICE_NAME").map(|name| ("service.name".to_owned(), name.to_owned())),
        );
        let headers = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"];
        let headers: Vec<_> = headers.into_iter().filter_map(var).flat_map(pairs).collect();
        for (_, value) in &headers {
            redact::add_secret(value);
            redact::add_secret(value.split_once(' ').map_or("", |(_, rest)| rest));
        }
        Some(Self {
            is_base: exact.is_none(),
            endpoint: exact.or_else(|| var("OTEL_EXPORTER_OTLP_ENDPOINT")).map(str::to_owned),
            headers,
            resource,
            content: is_true("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
            timeout: timeout
                .map_or(TIMEOUT, |millis| Duration::from_millis(millis.clamp(1, 60_000))),
            is_compressed: var("OTEL_EXPORTER_OTLP_COMPRESSION") == Some("gzip"),
        })
    }

    /// The attributes of this process. `service` is the service name unless a variable sets
    /// another.
    pub fn resource(&self, service: &str) -> Attributes {
        let version = env!("CARGO_PKG_VERSION");
        let mut all = Attributes::default()
            .with("service.name", service)
            .with("service.version", version)
            .with("telemetry.sdk.name", "toolscout")
            .with("telemetry.sdk.language", "rust")
            .with("telemetry.sdk.version", version)
            .with("process.pid", u64::from(std::process::id()));
        self.resource.iter().for_each(|(name, value)| all.set(name, value.as_str()));
        all
    }
}

/// Parses `name=value,name=value` with percent-encoded values.
pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let name = name.trim();
        let value = percent_decode_str(value.trim()).decode_utf8_lossy().into_owned();
        (!name.is_empty()).then(|| (name.to_owned(), value))
    };
    text.split(',').filter_map(pair).collect()
}
