//! Proves that
//! 1. a link signs in once, and only for two minutes,
//! 2. neither the cookie nor the key of the UI is sufficient alone,
//! 3. a session ends after its time, on request, and if too many newer ones exist.

use super::*;
use axum::http::HeaderValue;

fn code(sign_ins: &SignIns) -> String {
    let link = sign_ins.link().expect("a link");
    link.strip_prefix("/signin?code=").expect("a code").to_owned()
}

fn headers(cookie: &str, key: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let text = |text: &str| HeaderValue::from_str(text).expect("a header");
    headers.insert(HOST, text("127.0.0.1:7420"));
    headers.insert(COOKIE, text(&format!("other=1; toolscout_session_7420={cookie}; last=2")));
    headers.insert(KEY, text(key));
    headers
}

#[test]
fn a_link_signs_in_once() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let code = code(&sign_ins);
    assert_eq!(code.len(), 43, "256 bits");
    let secrets = sign_ins.redeem(&code, now).expect("signed in");
    let principal = sign_ins
        .authenticate(&headers(&secrets.cookie, &secrets.key), now)
        .expect("the session is valid");
    assert_eq!((principal.name.as_deref(), principal.role), (Some("operator"), Role::Operator));
    assert!(sign_ins.redeem(&code, now).is_none(), "a link is valid once");
}

#[test]
fn an_expired_or_forged_link_signs_no_one_in() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let late = code(&sign_ins);
    assert!(sign_ins.redeem(&late, now + LINK_TIME + Duration::from_secs(1)).is_none());
    assert!(sign_ins.redeem(&late, now).is_none(), "a late attempt uses up the link");
    let good = code(&sign_ins);
    for wrong in ["", "x", &good[1..], &format!("{good}x")] {
        assert!(sign_ins.redeem(wrong, now).is_none(), "{wrong:?}");
    }
    assert!(sign_ins.redeem(&good, now).is_some(), "wrong codes do not invalidate a link");
}

#[test]
fn cookie_and_key_are_both_required() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let one = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    let other = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    for (cookie, key) in
        [(&one.cookie, &other.key), (&one.key, &one.cookie), (&one.cookie, &one.cookie)]
    {
        assert!(sign_ins.authenticate(&headers(cookie, key), now).is_none());
    }
    for missing in [COOKIE, KEY] {
        let mut headers = headers(&one.cookie, &one.key);
        headers.remove(&missing);
        assert!(sign_ins.authenticate(&headers, now).is_none(), "without {missing}");
    }
    let mut elsewhere = headers(&one.cookie, &one.key);
    elsewhere.insert(HOST, HeaderValue::from_static("127.0.0.1:7421"));
    assert!(sign_ins.authenticate(&elsewhere, now).is_none(), "the cookie of another port");
}

#[test]
fn a_session_ends_after_its_time_and_on_sign_out() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let secrets = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    let headers = headers(&secrets.cookie, &secrets.key);
    assert!(sign_ins.authenticate(&headers, now + SESSION_TIME).is_some());
    assert!(sign_ins.authenticate(&headers, now + SESSION_TIME + Duration::from_secs(1)).is_none());
    sign_ins.sign_out(&headers);
    assert!(sign_ins.authenticate(&headers, now).is_none());
}

#[test]
fn links_and_sessions_are_bounded() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let first = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    let early = code(&sign_ins);
    (0..MAX_LINKS).for_each(|_| drop(sign_ins.link()));
    assert!(sign_ins.redeem(&early, now).is_none(), "the oldest link is evicted");
    for _ in 0..MAX_SESSIONS {
        sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    }
    assert!(
        sign_ins.authenticate(&headers(&first.cookie, &first.key), now).is_none(),
        "the oldest session is evicted"
    );
    assert_eq!(sign_ins.0.lock().sessions.len(), MAX_SESSIONS);
}
