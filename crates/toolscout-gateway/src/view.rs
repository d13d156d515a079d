//! What one request sees.

use crate::policy::Decision;
use crate::published::Published;
use crate::standing::Standing;
use crate::{Error, Gateway, Query, SearchHit, Snapshot};
use std::sync::Arc;
use toolscout_core::{Cx, Library, Problem, Source, SourceId, Tool, ToolId, ToolName};

/// What one request sees at one moment: what all have, and what its own sources have. Cloning is cheap, and so is having
/// one: it stays as it is while others change.
#[derive(Clone)]
pub struct View {
    moment: Arc<Published>,
}

impl Gateway {
    /// What this request sees. Where nothing is of its own, that is what all see, and costs nothing. What cannot be asked in
    /// time is left out, and [`View::problems`] says so.
    ///
    /// Cancel-safe: others of the same key who wait go on.
    pub async fn view(&self, cx: &Cx) -> View {
        match self.requests.keys(cx) {
            None => View { moment: self.board.now() },
            Some(keys) => View { moment: self.requests.moment(&self.board, keys, cx).await },
        }
    }
}

impl View {
    /// The tools, but for what is disabled; of what is held, the name and the reason.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.moment.shown.clone()
    }

    /// The tools, disabled ones too, and held ones with all they say: for who decides about them.
    pub fn whole_snapshot(&self) -> Arc<Snapshot> {
        self.moment.all.clone()
    }

    /// The best fitting tools, best first; neither disabled ones nor those held for review, and [`View::notes`] says so.
    pub fn search(&self, query: &Query<'_>) -> Vec<SearchHit> {
        self.moment.search(query)
    }

    /// The tool this text means, in any form of a name. One that is disabled is as good as not there, but that it is
    /// disabled is said.
    pub fn resolve(&self, text: &str) -> Result<Arc<Tool>, Error> {
        self.moment.resolve(text)
    }

    /// What holds for a tool, and why.
    pub fn policy(&self, tool: &Tool) -> Decision {
        self.moment.policies.effective(tool)
    }

    /// Whether this is for some requests only: then it must not be shown to others. So it is wherever somebody has sources
    /// of their own, also if nothing was found in them.
    pub fn is_private(&self) -> bool {
        self.moment.beneath.is_some()
    }

    /// Which moment this is of what all requests see: later ones have more.
    pub fn generation(&self) -> u64 {
        self.moment.generation
    }

    /// What a list or a search does not show, for people; empty where there is nothing of the sort.
    pub fn notes(&self) -> Vec<String> {
        self.moment.notes()
    }

    /// What went wrong on the way to what is of this request.
    pub fn problems(&self) -> &[Problem] {
        &self.moment.problems
    }

    /// The sources, in the order they were added; those of the request last.
    pub fn sources(&self) -> &[Arc<dyn Source>] {
        self.moment.sources.all()
    }

    /// The source of this id.
    pub fn source(&self, id: &SourceId) -> Option<&Arc<dyn Source>> {
        self.moment.sources.by_id(id)
    }

    /// What sources have besides tools, those that have something.
    pub fn libraries(&self) -> impl Iterator<Item = (&SourceId, &dyn Library)> {
        self.sources().iter().filter_map(|it| Some((it.id(), it.library()?)))
    }

    /// What this source has besides tools.
    pub fn library(&self, id: &SourceId) -> Option<&dyn Library> {
        self.source(id)?.library()
    }

    /// The tool of this id as it is now, and how it stands.
    pub(crate) fn tool(&self, id: &ToolId) -> Result<(&Arc<Tool>, &Standing), Error> {
        self.moment.tool(id).ok_or_else(|| Error::UnknownTool { name: id.to_string(), nearest: Vec::new() })
    }

    /// The source and the name that this text says, where it says both.
    pub(crate) fn named_source(&self, text: &str) -> Option<(&Arc<dyn Source>, ToolName)> {
        ["/", ":", "__"].into_iter().find_map(|separator| {
            let (source, name) = text.split_once(separator)?;
            Some((self.source(&SourceId::new(source).ok()?)?, ToolName::new(name).ok()?))
        })
    }
}
