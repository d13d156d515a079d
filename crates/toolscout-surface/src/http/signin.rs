//! Sign-in to the UI and sign-out: `/signin` and `/signout`.

#[cfg(test)]
mod tests;

use super::auth::sign_ins::{SESSION_TIME, Secrets, cookie_name};
use super::auth::{Auth, Authenticator, SignIns};
use super::body::drain;
use super::host_check::check_csrf;
use super::rejection::HttpRejection;
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

/// The maximum size of a sign-in request in bytes.
const MAX_BODY: usize = 8 << 10;

#[derive(Deserialize)]
struct SignInBody {
    token: String,
}

#[derive(Clone)]
struct SignInState {
    auth: Arc<Auth>,
    sign_ins: Arc<SignIns>,
}

/// Open routes; none if there is no UI.
pub(super) fn routes(authenticator: &Authenticator) -> Router {
    let Some(sign_ins) = authenticator.sign_ins.clone() else { return Router::new() };
    Router::new()
        .route("/signin", get(by_link).post(by_token))
        .route("/signout", post(sign_out))
        .with_state(SignInState { auth: authenticator.auth.clone(), sign_ins })
}

/// Redirects to the UI, so that the code disappears from the address bar. The UI's own secret
/// is in the fragment, which browsers do not send.
async fn by_link(State(state): State<SignInState>, request: Request) -> Response {
    let code = request
        .uri()
        .query()
        .and_then(|query| query.split('&').find_map(|part| part.strip_prefix("code=")));
    // A HEAD request must not use up the code.
    let secrets = code
        .filter(|_| request.method() == Method::GET)
        .and_then(|code| state.sign_ins.redeem(code, Instant::now()));
    match (secrets, code) {
        (Some(secrets), _) => {
            let mut response = redirect(&format!("/#key={}", secrets.key));
            set_cookie(&mut response, request.headers(), Some(&secrets));
            response
        }
        (None, Some(_)) => redirect("/#link-used"),
        (None, None) => redirect("/"),
    }
}

/// Signs in by a token instead of a link.
async fn by_token(State(state): State<SignInState>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if let Err(rejection) = check_csrf(&head) {
        drain(body).await;
        return rejection.into_response();
    }
    match sign_in(&state, body).await {
        Ok(secrets) => {
            let body = json!({"key": secrets.key}).to_string();
            let mut response = ([(CONTENT_TYPE, "application/json")], body).into_response();
            set_cookie(&mut response, &head.headers, Some(&secrets));
            response
        }
        Err(message) => unauthorized(message),
    }
}

async fn sign_in(state: &SignInState, body: Body) -> Result<Secrets, &'static str> {
    // Without authentication every request has the agent role; a token would change nothing.
    if matches!(*state.auth, Auth::None) {
        return Err("this server needs no token");
    }
    let bytes = to_bytes(body, MAX_BODY).await.map_err(|_| "the token is too long")?;
    let body: SignInBody = serde_json::from_slice(&bytes).map_err(|_| "missing token")?;
    let bearer = format!("Bearer {}", body.token.trim());
    let bearer = HeaderValue::try_from(bearer).map_err(|_| "invalid token")?;
    let headers = HeaderMap::from_iter([(AUTHORIZATION, bearer)]);
    let principal = state
        .auth
        .authenticate(&headers, "/")
        .await
        .map_err(|_| "the token is unknown, expired or revoked")?;
    state
        .sign_ins
        .open_session(principal, Instant::now())
        .ok_or("the operating system returned no random numbers")
}

async fn sign_out(
    State(state): State<SignInState>,
    request: Request,
) -> Result<Response, HttpRejection> {
    let (head, body) = request.into_parts();
    drain(body).await;
    check_csrf(&head)?;
    state.sign_ins.sign_out(&head.headers);
    let mut response = StatusCode::NO_CONTENT.into_response();
    set_cookie(&mut response, &head.headers, None);
    Ok(response)
}

fn redirect(location: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers
        .insert(LOCATION, HeaderValue::try_from(location).unwrap_or(HeaderValue::from_static("/")));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Sets the cookie. Scripts cannot read it, and requests from other sites do not carry it.
fn set_cookie(response: &mut Response, headers: &HeaderMap, secrets: Option<&Secrets>) {
    let (value, age) =
        secrets.map_or(("", 0), |secrets| (secrets.cookie.as_str(), SESSION_TIME.as_secs()));
    let name = cookie_name(headers);
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
}

fn unauthorized(message: &str) -> Response {
    let hint = "run `toolscout ui` to get a sign-in link";
    let body = json!({"error": message, "code": "UNAUTHORIZED", "hint": hint}).to_string();
    (StatusCode::UNAUTHORIZED, [(CONTENT_TYPE, "application/json")], body).into_response()
}
