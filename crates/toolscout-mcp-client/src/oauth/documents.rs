//! The documents of an issuer of tokens, for who has to check tokens that it gave to others.

use super::web::OAuthHttp;
use reqwest::Url;

/// Fetches a document that an issuer has, or names: over `https` unless it is on this machine, never redirected, and from
/// nowhere nearer to this machine than the issuer itself. An error is in words.
pub async fn document(issuer: &str, url: &str) -> Result<Vec<u8>, String> {
    let issuer = Url::parse(issuer).map_err(|error| format!("the issuer's address is none: {error}"))?;
    let web = OAuthHttp::of(&issuer).await;
    let url = web.url(url).map_err(|it| it.to_string())?;
    let answer = web.read(&url).await.map_err(|it| it.to_string())?;
    match answer.status.is_success() {
        true => Ok(answer.into_bytes()),
        false => Err(format!("it answered {}", answer.status)),
    }
}
