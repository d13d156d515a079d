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
    let text = |it: &str| HeaderValue::from_str(it).expect("a header");
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
    let who = sign_ins.recognise(&headers(&secrets.cookie, &secrets.key), now).expect("known");
    assert_eq!((who.name.as_deref(), who.role), (Some("operator"), Role::Operator));
    assert!(sign_ins.redeem(&code, now).is_none(), "a second time");
}

#[test]
fn a_link_that_is_old_or_made_up_signs_nobody_in() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let late = code(&sign_ins);
    assert!(sign_ins.redeem(&late, now + LINK_TIME + Duration::from_secs(1)).is_none());
    assert!(sign_ins.redeem(&late, now).is_none(), "being late has used it up");
    let good = code(&sign_ins);
    for wrong in ["", "x", &good[1..], &format!("{good}x")] {
        assert!(sign_ins.redeem(wrong, now).is_none(), "{wrong:?}");
    }
    assert!(sign_ins.redeem(&good, now).is_some(), "guessing costs others nothing");
}

#[test]
fn neither_secret_opens_anything_alone() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let one = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    let other = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    for (cookie, key) in
        [(&one.cookie, &other.key), (&one.key, &one.cookie), (&one.cookie, &one.cookie)]
    {
        assert!(sign_ins.recognise(&headers(cookie, key), now).is_none());
    }
    for missing in [COOKIE, KEY] {
        let mut headers = headers(&one.cookie, &one.key);
        headers.remove(&missing);
        assert!(sign_ins.recognise(&headers, now).is_none(), "without {missing}");
    }
    let mut elsewhere = headers(&one.cookie, &one.key);
    elsewhere.insert(HOST, HeaderValue::from_static("127.0.0.1:7421"));
    assert!(sign_ins.recognise(&elsewhere, now).is_none(), "the cookie of another port");
}

#[test]
fn nobody_stays_for_ever() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let secrets = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    let headers = headers(&secrets.cookie, &secrets.key);
    assert!(sign_ins.recognise(&headers, now + STAY).is_some());
    assert!(sign_ins.recognise(&headers, now + STAY + Duration::from_secs(1)).is_none());
    sign_ins.leave(&headers);
    assert!(sign_ins.recognise(&headers, now).is_none());
}

#[test]
fn what_is_kept_is_bounded() {
    let (sign_ins, now) = (SignIns::new(), Instant::now());
    let first = sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    let early = code(&sign_ins);
    (0..LINKS).for_each(|_| drop(sign_ins.link()));
    assert!(sign_ins.redeem(&early, now).is_none(), "the oldest link makes room");
    for _ in 0..STAYS {
        sign_ins.redeem(&code(&sign_ins), now).expect("signed in");
    }
    assert!(
        sign_ins.recognise(&headers(&first.cookie, &first.key), now).is_none(),
        "so does the oldest stay"
    );
    assert_eq!(sign_ins.0.lock().stays.len(), STAYS);
}
