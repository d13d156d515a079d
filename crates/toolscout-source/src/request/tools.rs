//! Tools made in code for one request.

use super::{OfRequest, cache_key, default_id};
use crate::registry::{CodeTool, Conflict, Registry};
use std::sync::Arc;
use toolscout_core::{BoxFuture, Cx, Layer, RequestSources, Source, SourceId};

/// Gives each request its own tools, by two closures.
///
/// `owner` returns the owner of a request, such as a user or a tenant; none if the request has no
/// tools. `tools` creates the tools of that owner; it is called when they are first needed, and its
/// result is cached for a while. Two requests share it only if `owner` returns the same for both
/// *and* the surface has authenticated the same user.
///
/// ```
/// use toolscout_core::ToolOutput;
/// use toolscout_source::ToolBuilder;
/// use toolscout_source::request::{header, request_tools};
///
/// let saved_queries = request_tools(
///     |cx| header(cx, "x-user-id").map(str::to_owned),
///     |user, _cx| {
///         let tool = ToolBuilder::new("my_saved_queries").ok()?.description(format!("The saved queries of {user}"));
///         let answer = format!("nothing saved by {user} yet");
///         Some(tool.run(move |_, _| {
///             let answer = answer.clone();
///             async move { Ok(ToolOutput::text(answer)) }
///         }))
///     },
/// );
/// # let _ = saved_queries;
/// ```
pub fn request_tools<W, T, I>(owner: W, tools: T) -> RequestTools<W, T>
where
    W: Fn(&Cx) -> Option<String> + Send + Sync + 'static,
    T: Fn(&str, &Cx) -> I + Send + Sync + 'static,
    I: IntoIterator<Item = CodeTool>,
{
    RequestTools { id: default_id(), owner, tools }
}

/// The result of [`request_tools`].
pub struct RequestTools<W, T> {
    id: SourceId,
    owner: W,
    tools: T,
}

impl<W, T> RequestTools<W, T> {
    /// The same tools under another source id than `own`. If there are several such sources, each
    /// needs its own id.
    pub fn named(self, id: SourceId) -> Self {
        Self { id, ..self }
    }
}

impl<W, T, I> RequestSources for RequestTools<W, T>
where
    W: Fn(&Cx) -> Option<String> + Send + Sync + 'static,
    T: Fn(&str, &Cx) -> I + Send + Sync + 'static,
    I: IntoIterator<Item = CodeTool>,
{
    fn key(&self, cx: &Cx) -> Option<String> {
        (self.owner)(cx).map(|owner| cache_key(cx, &[&owner]))
    }

    fn sources<'a>(&'a self, cx: &'a Cx) -> BoxFuture<'a, Vec<Arc<dyn Source>>> {
        let registry = Registry::named(self.id.clone()).on_conflict(Conflict::Replace);
        if let Some(owner) = (self.owner)(cx) {
            // With [`Conflict::Replace`] no name is refused.
            let _ = registry.register_all((self.tools)(&owner, cx));
        }
        Box::pin(async { vec![OfRequest.layer(Arc::new(registry))] })
    }
}
