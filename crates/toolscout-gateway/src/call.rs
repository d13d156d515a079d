//! Takes a call to its tool: resolve, authorize, check, ask, load, check again, run, look at the result.

use crate::delegation;
use crate::federation::RemoteTool;
use crate::observed_call::ObservedCall;
use crate::standing::{DefinitionFacts, ToolStanding};
use crate::{CatalogView, Error, Gateway};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::sync::Arc;
use toolscout_catalog::alike;
use toolscout_core::authorization::{AuthorizationContext, AuthorizationError, Policy, authorize, refusal};
use toolscout_core::{
    Arguments, Authorized, Cx, Digest, ReviewMode, Source, SourceError, Status, Tool, ToolCall, ToolId, ToolOutput,
    redact,
};
use tracing::Instrument as _;

/// Calls of one batch that run at the same time.
const TOGETHER: usize = 8;

impl Gateway {
    /// Runs the tool that the name means to this request. Nothing starts before the arguments fit and the door has let the
    /// call through. Cancel-safe: dropping the future ends what the tool has started.
    pub async fn call(&self, name: &str, arguments: Arguments, cx: Cx) -> Result<ToolOutput, Error> {
        self.call_named(name, cx, |tool| ToolCall::new(tool.id.clone(), arguments.clone())).await
    }

    /// As [`Gateway::call`], for who has more to say about the call, or says it differently to different tools. A source
    /// that answers to a bare name, and then says that it has no such tool, leaves it to the next that has one of the name;
    /// any other error is the answer.
    pub async fn call_named(
        &self,
        name: &str,
        cx: Cx,
        make: impl Fn(&Arc<Tool>) -> ToolCall,
    ) -> Result<ToolOutput, Error> {
        let mut tool = self.find(name, &cx).await?;
        loop {
            let not_mine = match self.call_tool(&tool, make(&tool), cx.clone()).await {
                Err(error @ Error::Source(SourceError::NotMine { .. })) if tool.id.name.as_str() == name => error,
                answer => return answer,
            };
            let shown = self.view(&cx).await.snapshot();
            tool = match shown.next_of_name(&tool.id) {
                Some(next) => next.map_err(|why| Error::unresolved(name, why))?.clone(),
                None => return Err(not_mine),
            };
        }
    }

    /// As [`Gateway::call`], for who knows the tool already. What counts is the tool as this request sees it now: if that is
    /// not the one that was passed, the call is refused.
    pub async fn call_tool(&self, tool: &Arc<Tool>, mut call: ToolCall, cx: Cx) -> Result<ToolOutput, Error> {
        let view = self.view_of(&call.tool, &cx).await;
        let (current, _) = view.tool(&call.tool)?;
        if !alike(current, tool) {
            call.expect = call.expect.or_else(|| Some(tool.digest()));
        }
        self.run_and_learn(view, call, cx).await
    }

    /// Runs several calls, some at the same time; the results come in the order of the calls, and one that fails does not
    /// touch the others.
    pub async fn call_all(&self, calls: Vec<ToolCall>, cx: Cx) -> Vec<Result<ToolOutput, Error>> {
        let runs = calls.into_iter().map(|call| {
            let cx = cx.clone();
            async { self.run_and_learn(self.view_of(&call.tool, &cx).await, call, cx).await }
        });
        stream::iter(runs).buffered(TOGETHER).collect().await
    }

    /// What [`Gateway::call_tool`] would run, without running it: the arguments checked, defaults filled in. Nobody is
    /// asked.
    pub fn plan(&self, tool: &Tool, call: ToolCall, cx: &Cx) -> Result<ToolCall, Error> {
        let facts = Arc::new(DefinitionFacts::of(Arc::new(tool.clone())));
        let standing = ToolStanding::of(facts, &self.catalog().policies);
        let now = circumstances(tool, &standing, true, cx);
        admit(tool, &standing.facts, call, now).map(Authorized::into_inner)
    }

    /// What this request sees, and this tool, should it be one behind a source that searches for itself.
    async fn view_of(&self, tool: &ToolId, cx: &Cx) -> CatalogView {
        self.with_far(self.view(cx).await, tool, cx)
    }

    async fn run_and_learn(&self, view: CatalogView, call: ToolCall, cx: Cx) -> Result<ToolOutput, Error> {
        let lesson = self.lesson_of(&view, &call.tool, &cx);
        let (cx, pending) = cx.begin_event();
        let observed = ObservedCall::new(&view, &call, pending);
        let span = tracing::debug_span!("tool-call", tool = %call.tool);
        let output = self.run(view, call, cx).instrument(span).await;
        observed.end(&output);
        let output = output?;
        self.learn(lesson, &output);
        Ok(output)
    }

    pub(crate) async fn run(&self, view: CatalogView, mut call: ToolCall, cx: Cx) -> Result<ToolOutput, Error> {
        let (tool, standing) = view.tool(&call.tool)?;
        if standing.decision.policy != Policy::Ask {
            return execute(&view, call, false, cx).await;
        }
        match refusal(&call, tool, &circumstances(tool, standing, false, &cx)) {
            None | Some(AuthorizationError::NeedsApproval { .. }) => {}
            Some(refusal) => return Err(refusal.into()),
        }
        // Nobody is asked about a call that cannot be made.
        call.arguments = standing.facts.check()?.arguments(call.arguments)?;
        let digest = standing.facts.digest();
        let yes = self.consent(&call, digest, &cx).instrument(tracing::debug_span!("approval")).await?;
        call.expect = Some(digest);
        // Asking may have taken minutes: what counts is how things stand now.
        let now = match view.is_through_meta_tools() {
            true => self.view(&cx).await.through_meta_tools(),
            false => self.view_of(&call.tool, &cx).await,
        };
        let output = execute(&now, call, true, cx).await?;
        self.unfinished_approvals.keep(yes, &output, self.pending_approvals.now());
        Ok(output)
    }
}

/// Runs a call as things stand in this view.
async fn execute(view: &CatalogView, call: ToolCall, approved: bool, cx: Cx) -> Result<ToolOutput, Error> {
    let (tool, standing) = view.tool(&call.tool)?;
    let source = view.source(&tool.id.source).ok_or_else(|| not_mine(tool))?;
    let now = circumstances(tool, standing, approved, &cx);
    if view.is_through_meta_tools() {
        return hand_over(source, &standing.facts, admit_at(tool, &standing.facts, call, now, None)?, cx).await;
    }
    let is_bound = call.expect.is_some();
    let authorized = admit(tool, &standing.facts, call, now)?;
    if let Some(far) = view.far() {
        let call = order(view, far, authorized.into_inner(), is_bound, approved, &cx)?;
        return hand_over(source, &standing.facts, call, cx).await;
    }
    if tool.status == Status::Ready {
        return hand_over(source, &standing.facts, authorized, cx).await;
    }
    let full = DefinitionFacts::of(Arc::new(load(source, tool, &standing.facts, &cx).await?));
    let call = ToolCall { expect: None, ..authorized.into_inner() };
    let now = AuthorizationContext { digest: Some(full.digest()), ..circumstances(tool, standing, approved, &cx) };
    let authorized = admit(full.tool(), &full, call, now)?;
    hand_over(source, &full, authorized, cx).await
}

/// A call of a tool behind a source that searches for itself, as one of that source's door: past the door, too.
fn order(
    view: &CatalogView,
    far: &RemoteTool,
    call: ToolCall,
    is_bound: bool,
    approved: bool,
    cx: &Cx,
) -> Result<Authorized<ToolCall>, Error> {
    let door = delegation::id(&far.tool.id.source, delegation::EXECUTE).and_then(|it| view.catalog.tool(&it));
    let (door, standing) = door.ok_or_else(|| not_mine(&far.tool))?;
    let order = far.order(door, call, is_bound)?;
    // What was decided about the tool was decided about the door as well.
    let now = AuthorizationContext {
        digest: Some(standing.facts.digest()),
        ..circumstances(door, &far.standing, approved, cx)
    };
    admit_at(door, &standing.facts, order, now, None)
}

async fn hand_over(
    source: &Arc<dyn Source>,
    facts: &DefinitionFacts,
    call: Authorized<ToolCall>,
    cx: Cx,
) -> Result<ToolOutput, Error> {
    let id = &facts.tool().id;
    // Redacted when somebody listens, and only then.
    let arguments = || redact::secrets(&Value::Object(call.get().arguments.clone()));
    tracing::debug!(event = "tool_call", tool = %id, caller = cx.caller.word(), arguments = %arguments());
    let output = source.call(call, cx).await?;
    tracing::debug!(event = "tool_result", tool = %id, is_error = output.is_error());
    let doubts = facts.doubts(&output);
    if doubts.is_empty() {
        return Ok(output);
    }
    tracing::warn!(event = "output_mismatch", tool = %id, doubts = doubts.join("; "));
    Ok(output.with_doubts(doubts))
}

/// The only way to a source: the arguments fit, the door agrees, and what is sent is bound to this very definition, so that
/// a source whose live one differs can tell.
fn admit(
    tool: &Tool,
    facts: &DefinitionFacts,
    call: ToolCall,
    now: AuthorizationContext,
) -> Result<Authorized<ToolCall>, Error> {
    admit_at(tool, facts, call, now, Some(facts.digest()))
}

/// The same, bound to this. A door is bound to nothing: it says something else about itself whenever there is something
/// else behind it.
fn admit_at(
    tool: &Tool,
    facts: &DefinitionFacts,
    mut call: ToolCall,
    now: AuthorizationContext,
    bound_to: Option<Digest>,
) -> Result<Authorized<ToolCall>, Error> {
    if let Some(refusal) = refusal(&call, tool, &now) {
        return Err(refusal.into());
    }
    call.arguments = facts.check()?.arguments(call.arguments)?;
    call.expect = bound_to;
    Ok(authorize(call, tool, now)?)
}

fn circumstances(tool: &Tool, standing: &ToolStanding, approved: bool, cx: &Cx) -> AuthorizationContext {
    AuthorizationContext {
        caller: cx.caller,
        policy: standing.decision.policy,
        because: standing.decision.because.clone(),
        trusted: tool.provenance.trusted,
        approved,
        digest: Some(standing.facts.digest()),
    }
}

/// The full definition. One that is under review must be the one that was reviewed.
async fn load(source: &Arc<dyn Source>, tool: &Tool, facts: &DefinitionFacts, cx: &Cx) -> Result<Tool, Error> {
    let full = source.load(&tool.id.name, cx.clone()).await?.ok_or_else(|| not_mine(tool))?;
    if source.review() != ReviewMode::Unneeded && full.digest() != facts.digest() {
        return Err(AuthorizationError::Changed { tool: tool.id.to_string() }.into());
    }
    Ok(full)
}

fn not_mine(tool: &Tool) -> Error {
    SourceError::NotMine { id: tool.id.source.clone(), name: tool.id.name.as_str().to_owned() }.into()
}
