//! `events`: a live stream of events.

use super::status::NoInput;
use crate::Workspace;
use crate::event_broadcast::StreamedEvent;
use futures_util::StreamExt;
use futures_util::stream::{select_all, unfold};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::{broadcast, watch};
use toolscout_core::Cx;
use toolscout_core::cx::Role;
use toolscout_surface::operation::{
    CommandName, ItemStream, OperationError, OperationSpec, StreamOperation, Text,
};

/// Follow events.
pub(crate) struct FollowEvents;

impl StreamOperation<Workspace> for FollowEvents {
    type Input = NoInput;
    type Item = StreamedEvent;

    const SPEC: OperationSpec = OperationSpec {
        commands: CommandName::NONE,
        examples: &["GET /api/events"],
        ..OperationSpec::read(
            "events",
            "Follow discoveries and changes; as an operator also searches, calls and decisions",
            "/api/events",
        )
    };

    async fn open(
        workspace: &Workspace,
        _: NoInput,
        cx: &Cx,
    ) -> Result<ItemStream<StreamedEvent>, OperationError> {
        let projects = workspace.projects_of(cx);
        let is_one_of_several = projects.len() > 1;
        let streams = projects.iter().map(|project| {
            let follower = EventFollower {
                project: is_one_of_several.then(|| project.project_id()),
                events: project.parts.events.clone().unwrap_or_default().subscribe(),
                changes: project.gateway_for(cx).changes(),
                role: cx.role,
                is_first: true,
            };
            unfold(follower, |mut follower| async move {
                follower.next().await.map(|item| (Ok(item), follower))
            })
            .boxed()
        });
        Ok(select_all(streams).boxed())
    }

    fn event(item: &StreamedEvent) -> &'static str {
        item.kind
    }

    fn text(item: &StreamedEvent, _: &Text) -> String {
        format!("{} {}\n", item.kind, item.data)
    }
}

/// Follows the events of one project.
struct EventFollower {
    /// Its id, if the stream has the events of several projects.
    project: Option<String>,
    events: broadcast::Receiver<Arc<StreamedEvent>>,
    changes: watch::Receiver<u64>,
    role: Role,
    is_first: bool,
}

impl EventFollower {
    async fn next(&mut self) -> Option<StreamedEvent> {
        let mut event = self.next_of_project().await?;
        self.project.iter().for_each(|project| event.data["project"] = project.as_str().into());
        Some(event)
    }

    async fn next_of_project(&mut self) -> Option<StreamedEvent> {
        // The first event confirms that the stream is open, and contains the generation of the
        // catalog.
        if std::mem::take(&mut self.is_first) {
            return Some(changed(*self.changes.borrow_and_update()));
        }
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => match event {
                    Ok(event) if event.is_for(self.role) => return Some((*event).clone()),
                    Ok(_) => {}
                    Err(broadcast::error::RecvError::Lagged(missed)) => {
                        return Some(StreamedEvent::new("missed", json!({"events": missed})));
                    }
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                Ok(()) = self.changes.changed() => return Some(changed(*self.changes.borrow_and_update())),
            }
        }
    }
}

fn changed(generation: u64) -> StreamedEvent {
    StreamedEvent::new("changed", json!({"generation": generation}))
}
