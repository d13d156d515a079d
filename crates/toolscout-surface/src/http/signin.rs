//! How a person comes in at the page, and leaves: `/signin` and `/signout`.

#[cfg(test)]
mod tests;

use super::auth::{Auth, SignIns};
use super::body::drain;
use super::door::{Door, check_writing};
use super::refusal::Refusal;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, REFERRER_POLICY, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

use super::auth::sign_ins::{STAY, Secrets, cookie_name};

/// Bytes of what is sent to sign in.
const LARGEST: usize = 8 << 10;

#[derive(Deserialize)]
struct Pasted {
    token: String,
}

#[derive(Clone)]
struct Signing {
    door: Door,
    sign_ins: Arc<SignIns>,
}

/// Open to everybody; nothing where there is no page.
pub(super) fn routes(door: &Door) -> Router {
    let Some(sign_ins) = door.sign_ins.clone() else { return Router::new() };
    Router::new()
        .route("/signin", get(by_link).post(by_token))
        .route("/signout", post(leave))
        .with_state(Signing { door: door.clone(), sign_ins })
}

/// Leads on to the page, so that the code is gone from the address. The page's own secret stands behind `#`, which no
/// browser sends to anybody.
async fn by_link(State(signing): State<Signing>, request: Request) -> Response {
    let code = request.uri().query().and_then(|it| it.split('&').find_map(|it| it.strip_prefix("code=")));
    // Who only looks whether there is something must not use it up.
    let secrets =
        code.filter(|_| request.method() == Method::GET).and_then(|it| signing.sign_ins.redeem(it, Instant::now()));
    match (secrets, code) {
        (Some(secrets), _) => {
            let mut response = lead_to(&format!("/#key={}", secrets.key));
            set_cookie(&mut response, request.headers(), Some(&secrets));
            response
        }
        (None, Some(_)) => lead_to("/#link-used"),
        (None, None) => lead_to("/"),
    }
}

/// For who has a token at hand, and no link.
async fn by_token(State(signing): State<Signing>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if let Err(refusal) = check_writing(&head) {
        drain(body).await;
        return refusal.into_response();
    }
    match known(&signing, body).await {
        Ok(secrets) => {
            let body = json!({"key": secrets.key}).to_string();
            let mut response = ([(CONTENT_TYPE, "application/json")], body).into_response();
            set_cookie(&mut response, &head.headers, Some(&secrets));
            response
        }
        Err(why) => refused(why),
    }
}

async fn known(signing: &Signing, body: Body) -> Result<Secrets, &'static str> {
    // Everybody is let in there, as an agent: a token would say nothing.
    if matches!(*signing.door.auth, Auth::None) {
        return Err("no token is asked for here");
    }
    let bytes = to_bytes(body, LARGEST).await.map_err(|_| "this is too long for a token")?;
    let pasted: Pasted = serde_json::from_slice(&bytes).map_err(|_| "a token is needed")?;
    let bearer = format!("Bearer {}", pasted.token.trim());
    let bearer = HeaderValue::try_from(bearer).map_err(|_| "this is no token")?;
    let headers = HeaderMap::from_iter([(AUTHORIZATION, bearer)]);
    let principal = signing.door.auth.recognise(&headers, "/").await.map_err(|_| "this token is not known here")?;
    signing.sign_ins.admit(principal, Instant::now()).ok_or("nobody can be signed in now")
}

async fn leave(State(signing): State<Signing>, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    drain(body).await;
    check_writing(&head)?;
    signing.sign_ins.leave(&head.headers);
    let mut response = StatusCode::NO_CONTENT.into_response();
    set_cookie(&mut response, &head.headers, None);
    Ok(response)
}

fn lead_to(place: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::try_from(place).unwrap_or(HeaderValue::from_static("/")));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// No script reads it, and no other site's request carries it.
fn set_cookie(response: &mut Response, headers: &HeaderMap, secrets: Option<&Secrets>) {
    let (value, age) = secrets.map_or(("", 0), |it| (it.cookie.as_str(), STAY.as_secs()));
    let name = cookie_name(headers);
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
}

fn refused(why: &str) -> Response {
    let hint = "type `toolscout ui` for a link that signs you in";
    let body = json!({"error": why, "code": "UNAUTHORIZED", "hint": hint}).to_string();
    (StatusCode::UNAUTHORIZED, [(CONTENT_TYPE, "application/json")], body).into_response()
}
