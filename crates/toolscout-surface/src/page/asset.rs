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
const ALWAYS: [(HeaderName, &str); 6] = [
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
    pub(super) kind: &'static str,
    pub(super) text: &'static str,
    made: OnceLock<Made>,
}

struct Made {
    tag: HeaderValue,
    packed: Vec<u8>,
}

impl Asset {
    pub(super) const fn new(path: &'static str, kind: &'static str, text: &'static str) -> Self {
        Self { path, kind, text, made: OnceLock::new() }
    }

    pub(super) fn answer(&'static self, asked: &HeaderMap) -> Response {
        let made = self.made.get_or_init(|| self.make());
        let (status, body, is_packed) = match (is_known(asked, &made.tag), takes_gzip(asked)) {
            (true, _) => (StatusCode::NOT_MODIFIED, Body::empty(), false),
            (false, true) => (StatusCode::OK, Body::from(&*made.packed), true),
            (false, false) => (StatusCode::OK, Body::from(self.text), false),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.extend(ALWAYS.map(|(name, value)| (name, HeaderValue::from_static(value))));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(ETAG, made.tag.clone());
        if is_packed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    fn make(&self) -> Made {
        let hash = digest(&SHA256, self.text.as_bytes());
        let tag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(&hash.as_ref()[..16]));
        let mut packing = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        let _ = packing.write_all(self.text.as_bytes());
        let packed = packing.finish().unwrap_or_default();
        Made { tag: HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\"")), packed }
    }
}

fn is_known(asked: &HeaderMap, tag: &HeaderValue) -> bool {
    let bare = |it: &str| it.trim().trim_start_matches("W/").to_owned();
    let tag = tag.to_str().unwrap_or_default();
    let known = asked.get_all(IF_NONE_MATCH).iter().filter_map(|it| it.to_str().ok());
    known.flat_map(|it| it.split(',')).any(|it| bare(it) == tag)
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    let accepted = asked.get_all(ACCEPT_ENCODING).iter().filter_map(|it| it.to_str().ok());
    accepted.flat_map(|it| it.split(',')).any(|it| {
        let (name, weight) = it.split_once(';').unwrap_or((it, ""));
        let is_refused = matches!(
            weight.trim().replace(' ', "").as_str(),
            "q=0" | "q=0.0" | "q=0.00" | "q=0.000"
        );
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}
