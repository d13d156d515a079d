//! What a server has besides tools: remembered with them, asked for where it runs.

#[cfg(all(test, unix))]
mod tests;

use super::client::{Client, LibraryListing};
use super::discovery::{Shared, in_full, soonest};
use super::pace::Pace;
use super::record::{KnownLibrary, USUAL_TTL};
use super::running::Running;
use super::source::McpSource;
use super::supervisor::Supervisor;
use super::{ClientError, Server, demand};
use futures_util::stream;
use serde_json::{Value, json};
use std::future::pending;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{sleep, sleep_until};
use toolscout_core::{
    BoxFuture, BoxStream, Caller, Cx, Holdings, Library, Moment, News, RawJson, Source, SourceError, escape, redact,
};

impl Library for McpSource {
    fn holdings(&self, cx: &Cx) -> Result<Holdings, SourceError> {
        let known = self.shared().read(self.server(), cx)?.library.unwrap_or_default();
        let KnownLibrary { capabilities, instructions, resources, templates, prompts, .. } = known;
        Ok(Holdings { capabilities, instructions, resources, templates, prompts })
    }

    fn request<'a>(&'a self, method: &'a str, params: RawJson, cx: Cx) -> BoxFuture<'a, Result<RawJson, SourceError>> {
        Box::pin(self.request_running(method, params, cx))
    }

    fn news(&self) -> BoxStream<'_, News> {
        Box::pin(stream::unfold(self.supervisor().news(), |mut news| async move {
            loop {
                match news.recv().await {
                    Ok(it) => return Some((it, news)),
                    // Who listens too slowly misses what is oldest.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        }))
    }
}

impl McpSource {
    async fn request_running(&self, method: &str, params: RawJson, cx: Cx) -> Result<RawJson, SourceError> {
        let id = self.id();
        self.check_may_start()?;
        let in_use = self.supervisor().acquire(&cx).await.map_err(|it| it.of(id))?;
        let client = &in_use.0.client;
        let limit = self.time_for_a_call();
        let deadline = soonest(&cx, limit);
        let result = match method {
            "resources/subscribe" | "resources/unsubscribe" => {
                self.subscribe(client, method, &params, &cx, deadline).await
            }
            // In the modern era each request says for itself how much is to be logged.
            "logging/setLevel" if client.era().is_modern() => Ok(RawJson::from_value(&json!({}))),
            _ => client.request(method, &params, &cx, deadline).await,
        };
        in_use.0.has_answered();
        let result = result.map_err(|it| in_full(it, limit, deadline, &cx).of(id))?;
        match demand::of(&result).filter(|_| client.era().is_modern() && cx.counterpart.is_none()) {
            Some(wanted) => {
                let reason = format!("`{method}` asks for input that nobody can give here: {wanted}");
                Err(SourceError::Protocol { id: id.clone(), reason })
            }
            None => Ok(result),
        }
    }

    /// A subscription outlives the server's process: it is made again whenever that is started, and keeps it running.
    async fn subscribe(
        &self,
        client: &Client,
        method: &str,
        params: &RawJson,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        let Value::String(uri) = params.to_value()["uri"].take() else {
            return Err(ClientError::Invalid { reason: format!("`{method}` needs the `uri` of a resource") });
        };
        let is_wanted = method == "resources/subscribe";
        if !client.era().is_modern() {
            let result = client.request(method, params, cx, deadline).await?;
            self.supervisor().watch(uri, is_wanted)?;
            return Ok(result);
        }
        let watched = self.supervisor().watch(uri, is_wanted)?;
        client.watch(watched).await.map(|()| RawJson::from_value(&json!({})))
    }
}

/// Keeps what is remembered of a running server's library as the server has it, where somebody listens. Never done.
pub(super) async fn attend(supervisor: &Weak<Supervisor>, running: &Arc<Running>) {
    let mut changes = running.client.hub().library_changes();
    let Some((server, shared)) = supervisor.upgrade().map(|it| it.concerns()) else { return pending().await };
    let cx = Cx::new(Caller::Mcp);
    let mut is_due = shared.read(&server, &cx).is_ok_and(|it| {
        let is_fresh = |it: &KnownLibrary| {
            let is_recent = it.listed.is_some_and(|it| it.age(Moment::now()) < USUAL_TTL);
            is_recent && it.configuration == shared.configuration(&server)
        };
        !it.library.as_ref().is_some_and(is_fresh)
    });
    let mut pace = Pace::new(shared.dial.limits.apart);
    loop {
        let is_heard = supervisor.upgrade().is_some_and(|it| it.has_listeners());
        if is_due && is_heard {
            if let Some(due) = pace.due(Instant::now()) {
                sleep_until(due.into()).await;
            }
            changes.mark_unchanged();
            let listing = list(&running.client, &shared, None).await;
            pace.listed(Instant::now());
            let changed = shared.remember_library(&server, &cx, &running.client, listing);
            if let (Some(this), Ok(changed)) = (supervisor.upgrade(), changed) {
                changed.into_iter().for_each(|it| this.tell(it));
            }
        }
        if changes.changed().await.is_err() {
            return pending().await;
        }
        is_due = true;
        // Several changes at once are one.
        sleep(TOGETHER).await;
    }
}

/// What is new in the later one.
pub(super) fn news_between(before: &KnownLibrary, after: &KnownLibrary) -> Vec<News> {
    let are_new = before.resources != after.resources || before.templates != after.templates;
    let mut news = Vec::new();
    news.extend(are_new.then_some(News::ResourcesChanged));
    news.extend((before.prompts != after.prompts).then_some(News::PromptsChanged));
    news
}

/// Changes that come so soon after another are seen with it.
const TOGETHER: Duration = Duration::from_millis(20);

/// Lists the library. However long that takes, most of the time that is left stays: the tools do not wait for it.
pub(super) async fn list(client: &Client, shared: &Shared, deadline: Option<Instant>) -> LibraryListing {
    let now = Instant::now();
    let limit = now + shared.dial.limits.list;
    let share = deadline.map(|it| now + it.saturating_duration_since(now) / 2);
    client.list_library(share.map_or(limit, |it| it.min(limit))).await
}

impl Shared {
    /// Remembers what the server has besides tools; says what of it is new. A list that failed stays what it was.
    pub(super) fn remember_library(
        &self,
        server: &Server,
        cx: &Cx,
        client: &Client,
        listing: LibraryListing,
    ) -> Result<Vec<News>, SourceError> {
        let mut record = self.read(server, cx)?;
        let configuration = self.configuration(server);
        let before = record.library.take().filter(|it| it.configuration == configuration).unwrap_or_default();
        let mut excluded = listing.problems;
        let mut keep = |list: Result<Vec<RawJson>, ClientError>, before: &Vec<RawJson>| {
            list.unwrap_or_else(|error| {
                excluded.push(redact::text(&error.to_string()));
                before.clone()
            })
        };
        let next = KnownLibrary {
            listed: Some(Moment::now()),
            resources: keep(listing.resources, &before.resources),
            templates: keep(listing.templates, &before.templates),
            prompts: keep(listing.prompts, &before.prompts),
            capabilities: client.said().capabilities.clone(),
            instructions: client.said().instructions.clone(),
            private: listing.private,
            excluded,
            configuration,
        };
        for problem in &next.excluded {
            tracing::warn!(event = "library_problem", server = %server.id, problem = %escape::line(problem));
        }
        let news = news_between(&before, &next);
        record.library = Some(next);
        self.write(server, cx, &record)?;
        Ok(news)
    }
}
