//! Asks the process that keeps a project's servers for a way to its page.

use super::control::{Answer, Ask, Control};
use crate::RunCx;
use crate::plugins::discovery::Place;
use std::time::Duration;
use toolscout_mcp_client::partition;

/// How long a process that is there may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A link to the page of the process that keeps this project's servers; none where there is none, or it has no page.
pub(crate) async fn page_link(cx: &RunCx) -> Option<String> {
    let place = Place::of(cx.options(), cx.surroundings()).ok()?;
    let control = Control::at(cx.surroundings(), &partition(place.project()))?;
    match tokio::time::timeout(PATIENCE, control.ask(&Ask::Page)).await {
        Ok(Ok(Answer::Page { link })) => link,
        _ => None,
    }
}
