//! One file of the UI, served compressed and with an ETag.

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use ring::digest::{SHA256, digest};
use std::io::Write;
use std::sync::OnceLock;

/// Allows only our own files, and images that a tool returned as data. With `trusted-types
/// 'none'` the browser refuses to create elements from text, even if our scripts try.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types 'none'";

/// Headers of every response.
const COMMON_HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // Revalidated each time by its ETag: a new version of the program never uses an old UI.
    (CACHE_CONTROL, "no-cache"),
    (VARY, "accept-encoding"),
];

/// One file of the UI.
pub(super) struct Asset {
    pub(super) path: &'static str,
    pub(super) media_type: &'static str,
    pub(super) text: &'static str,
    prepared: OnceLock<PreparedAsset>,
}

struct PreparedAsset {
    etag: HeaderValue,
    gzipped: Vec<u8>,
}

impl Asset {
    pub(super) const fn new(
        path: &'static str,
        media_type: &'static str,
        text: &'static str,
    ) -> Self {
        Self { path, media_type, text, prepared: OnceLock::new() }
    }

    pub(super) fn respond(&'static self, request_headers: &HeaderMap) -> Response {
        let prepared = self.prepared.get_or_init(|| self.prepare());
        let (status, body, is_gzipped) =
            match (matches_etag(request_headers, &prepared.etag), accepts_gzip(request_headers)) {
                (true, _) => (StatusCode::NOT_MODIFIED, Body::empty(), false),
                (false, true) => (StatusCode::OK, Body::from(&*prepared.gzipped), true),
                (false, false) => (StatusCode::OK, Body::from(self.text), false),
            };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.extend(COMMON_HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(ETAG, prepared.etag.clone());
        if is_gzipped {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    fn prepare(&self) -> PreparedAsset {
        let hash = digest(&SHA256, self.text.as_bytes());
        let etag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(&hash.as_ref()[..16]));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        let _ = encoder.write_all(self.text.as_bytes());
        let gzipped = encoder.finish().unwrap_or_default();
        PreparedAsset {
            etag: HeaderValue::try_from(etag).unwrap_or(HeaderValue::from_static("\"\"")),
            gzipped,
        }
    }
}

fn matches_etag(request_headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let bare = |text: &str| text.trim().trim_start_matches("W/").to_owned();
    let etag = etag.to_str().unwrap_or_default();
    let etags = request_headers.get_all(IF_NONE_MATCH).iter().filter_map(|item| item.to_str().ok());
    etags.flat_map(|item| item.split(',')).any(|part| bare(part) == etag)
}

fn accepts_gzip(request_headers: &HeaderMap) -> bool {
    let accepted =
        request_headers.get_all(ACCEPT_ENCODING).iter().filter_map(|item| item.to_str().ok());
    accepted.flat_map(|accepted| accepted.split(',')).any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let is_refused = matches!(
            weight.trim().replace(' ', "").as_str(),
            "q=0" | "q=0.0" | "q=0.00" | "q=0.000"
        );
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}
