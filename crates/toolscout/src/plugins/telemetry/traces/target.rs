//! Where spans go, from the variables that OpenTelemetry names and from `[telemetry]`.

use super::attributes::Attributes;
use crate::config::{Config, TelemetrySettings};
use crate::{AppError, Options, Surroundings};
use std::time::Duration;
use toolscout_http_client::Post;
use toolscout_mcp_client::{Lookup, Text};

const PATH: &str = "/v1/traces";
const CONTENT: &str = "application/x-protobuf";
/// How long a request may take, unless somebody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where spans go, with references that are not looked up yet.
#[derive(Clone)]
pub(in super::super) struct Target {
    url: Given,
    /// Whether the path is to be added to the address.
    is_base: bool,
    headers: Vec<(String, Given)>,
    lookup: Lookup,
    pub(super) resource: Attributes,
    /// Whether questions and arguments are told, too.
    pub(super) content: bool,
    pub(super) timeout: Duration,
    pub(super) is_compressed: bool,
}

/// A value as it is, from a variable; or a text that may refer to one.
#[derive(Clone)]
enum Given {
    Value(String),
    Text(Text),
}

impl Given {
    fn resolve(&self, lookup: &Lookup) -> Result<String, String> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::Text(text) => text.resolve(lookup),
        }
    }
}

impl Target {
    /// What is configured; none where nothing is, or where somebody wants no traces.
    pub(in super::super) fn of(options: &Options, surroundings: &Surroundings) -> Result<Option<Self>, AppError> {
        let var = |name: &str| surroundings.var(name).filter(|it| !it.trim().is_empty());
        let is_off = var("OTEL_SDK_DISABLED").is_some_and(|it| it.eq_ignore_ascii_case("true"));
        if is_off || var("OTEL_TRACES_EXPORTER").is_some_and(|it| it == "none") || options.only_reads() {
            return Ok(None);
        }
        let config = Config::of(options, surroundings)?;
        let settings = &config.settings.telemetry;
        let named = var("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").map(|it| (Given::Value(it.to_owned()), false));
        let named = named.or_else(|| var("OTEL_EXPORTER_OTLP_ENDPOINT").map(|it| (Given::Value(it.to_owned()), true)));
        let Some((url, is_base)) = named.or_else(|| settings.otlp.clone().map(|it| (Given::Text(it), true))) else {
            return Ok(None);
        };
        let millis = var("OTEL_EXPORTER_OTLP_TIMEOUT").and_then(|it| it.trim().parse().ok());
        Ok(Some(Self {
            url,
            is_base,
            headers: headers(&var, settings),
            lookup: surroundings.lookup(),
            resource: resource(&var, settings),
            content: settings.content.unwrap_or(false)
                || var(CAPTURE).is_some_and(|it| it.eq_ignore_ascii_case("true")),
            timeout: millis.map_or(TIMEOUT, |it: u64| Duration::from_millis(it.clamp(1, 60_000))),
            is_compressed: var("OTEL_EXPORTER_OTLP_COMPRESSION").is_some_and(|it| it == "gzip"),
        }))
    }

    /// Looks everything up. The error is for people. May take a while.
    pub(super) fn open(&self) -> Result<Post, String> {
        let url = self.url.resolve(&self.lookup)?;
        let url = url.trim().trim_end_matches('/');
        let url = if self.is_base && !url.ends_with(PATH) { format!("{url}{PATH}") } else { url.to_owned() };
        let resolved = self.headers.iter().map(|(name, it)| Ok((name.clone(), it.resolve(&self.lookup)?)));
        let headers = resolved.collect::<Result<Vec<_>, String>>()?;
        Post::to(&url, &headers, CONTENT)
    }
}

const CAPTURE: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/// Those of the configuration, and over them those of the environment.
fn headers<'a>(var: &impl Fn(&str) -> Option<&'a str>, settings: &TelemetrySettings) -> Vec<(String, Given)> {
    let mut all: Vec<_> = settings.headers.iter().map(|(name, it)| (name.clone(), Given::Text(it.clone()))).collect();
    for name in ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"] {
        for (name, value) in var(name).into_iter().flat_map(pairs) {
            // Whoever keeps one there wants to read it in no log.
            toolscout_core::redact::remember(&value);
            toolscout_core::redact::remember(value.split_once(' ').map_or("", |(_, rest)| rest));
            all.retain(|(it, _)| !it.eq_ignore_ascii_case(&name));
            all.push((name, Given::Value(value)));
        }
    }
    all
}

fn resource<'a>(var: &impl Fn(&str) -> Option<&'a str>, settings: &TelemetrySettings) -> Attributes {
    let mut all = Attributes::default()
        .with("service.name", settings.service.as_deref().unwrap_or("toolscout"))
        .with("service.version", env!("CARGO_PKG_VERSION"))
        .with("telemetry.sdk.name", "toolscout")
        .with("telemetry.sdk.language", "rust")
        .with("telemetry.sdk.version", env!("CARGO_PKG_VERSION"))
        .with("process.pid", u64::from(std::process::id()));
    for (name, value) in var("OTEL_RESOURCE_ATTRIBUTES").into_iter().flat_map(pairs) {
        all.set(name, value);
    }
    if let Some(name) = var("OTEL_SERVICE_NAME") {
        all.set("service.name", name);
    }
    all
}

/// `name=value,name=value`, the values percent-encoded.
pub(super) fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |it: &str| {
        let (name, value) = it.split_once('=')?;
        let name = name.trim();
        (!name.is_empty()).then(|| (name.to_owned(), decoded(value.trim())))
    };
    text.split(',').filter_map(pair).collect()
}

/// Undoes percent-encoding; a `%` that begins none stands for itself.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex =
            text.get(at + 1..at + 3).filter(|it| bytes[at] == b'%' && it.bytes().all(|it| it.is_ascii_hexdigit()));
        match hex.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
