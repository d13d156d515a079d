//! Which tools fit a question.

use super::asked::Asked;
use super::{OperationError, Route};
use crate::ops::search::HitView;
use crate::ops::search::notes::notes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolscout_core::SourceId;
use toolscout_gateway::{Query, RankingProfile, SearchRequest};

#[derive(Serialize, JsonSchema)]
struct Found {
    /// Best first.
    results: Vec<HitView>,
    /// What could be wrong where little was found.
    notes: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asks {
    /// In your own words; nothing at all asks for every tool.
    #[serde(default)]
    q: String,
    /// At most so many: 10 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// How to score: `ranked`, `ladder` or `substring`.
    #[serde(default)]
    profile: Option<String>,
    /// Only tools of these sources, with commas in between.
    #[serde(default)]
    source: Option<String>,
    /// A person is still typing: nobody is told of it, and nothing is learned from it. For operators only.
    #[serde(default)]
    typing: bool,
}

pub(super) fn routes() -> Vec<Route> {
    vec![Route::get("/api/search", "Which tools fit a question, and why", search).query::<Asks>()]
}

async fn search(asked: Asked) -> Result<Found, OperationError> {
    let asks: Asks = asked.query()?;
    let gateway = asked.gateway();
    let view = asked.view().await;
    let profile = match &asks.profile {
        Some(word) => word.parse().map_err(|it: <RankingProfile as std::str::FromStr>::Err| {
            OperationError::invalid(format!("`profile`: {it}"))
        })?,
        None => RankingProfile::default(),
    };
    let known = |text: &str| {
        let all = view.sources().iter().map(|it| it.id()).chain(view.delegates());
        SourceId::new(text).ok().filter(|id| all.into_iter().any(|it| it == id))
    };
    let wanted = asks.source.as_deref().filter(|it| !it.is_empty());
    let sources = wanted.map(|it| it.split(',').map(|it| known(it.trim())).collect::<Option<Vec<_>>>());
    let sources = sources.map(|it| it.ok_or_else(|| OperationError::not_found("Source"))).transpose()?;
    let limit = asks.limit.unwrap_or(Query::DEFAULT_LIMIT);
    // What agents look for is told, whatever they say about it.
    let is_passing = asks.typing && asked.is_operator();
    let search =
        SearchRequest { profile, limit, sources: sources.as_deref(), is_passing, ..SearchRequest::new(&asks.q) };
    let answer = gateway.answer(&view, &search, &asked.cx).await;
    let said = notes(&gateway, &view, &search, &answer);
    let results = answer.hits.iter().map(HitView::from).collect();
    Ok(Found { results, notes: answer.notes.into_iter().chain(said).collect() })
}
