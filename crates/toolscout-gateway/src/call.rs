//! A call of a tool: resolve its name, authorize it, check its arguments, request approval, run it,
//! check its result.

use crate::consent::GrantedApproval;
use crate::delegation;
use crate::federation::RemoteTool;
use crate::observed_call::ObservedCall;
use crate::standing::{DefinitionFacts, ToolStanding};
use crate::{CatalogView, Error, Gateway};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::sync::Arc;
use toolscout_catalog::is_equivalent;
use toolscout_core::authorization::{
    AuthorizationContext, AuthorizationError, Policy, authorize_checked, refusal,
};
use toolscout_core::{
    Arguments, Authorized, Cx, ReviewMode, Source, SourceError, Status, Tool, ToolCall, ToolId,
    ToolOutput, redact,
};
use tracing::Instrument as _;

/// Calls of one batch that run at the same time.
const MAX_CONCURRENT_CALLS: usize = 8;

impl Gateway {
    /// Calls the tool of this name. Nothing starts before the arguments are valid and the call is
    /// authorized. Cancel-safe: dropping the future stops everything that the tool has started.
    pub async fn call(
        &self,
        name: &str,
        arguments: Arguments,
        cx: Cx,
    ) -> Result<ToolOutput, Error> {
        let view = self.view(&cx).await;
        self.call_named(view, name, cx, |tool| ToolCall::new(tool.id.clone(), arguments.clone()))
            .await
    }

    /// As [`Gateway::call`] in this view of the request, with a call that is made for the tool that
    /// the name leads to. If a source answers to a bare name and then reports that it has no such
    /// tool, the next source that has one of the name is called; any other error is returned.
    pub async fn call_named(
        &self,
        view: CatalogView,
        name: &str,
        cx: Cx,
        make: impl Fn(&Arc<Tool>) -> ToolCall,
    ) -> Result<ToolOutput, Error> {
        let (mut tool, mut outcome) = match view.catalog.resolve(name) {
            Ok(tool) if !tool.provenance.placeholder => {
                let call = make(&tool);
                (tool, self.call_in_view(view, call, cx.clone()).await)
            }
            // A source that was not discovered yet, or a remote gateway, may have it.
            Ok(_) | Err(Error::UnknownTool { .. }) => {
                let tool = self.find(name, &cx).await?;
                let outcome = self.call_tool(&tool, make(&tool), cx.clone()).await;
                (tool, outcome)
            }
            Err(error) => return Err(error),
        };
        while matches!(&outcome, Err(Error::Source(SourceError::NotMine { .. })))
            && tool.id.name.as_str() == name
        {
            let Some(next) =
                self.view(&cx).await.snapshot().next_of_name(&tool.id).map(|next| next.cloned())
            else {
                break;
            };
            tool = next.map_err(|reason| Error::unresolved(name, reason))?;
            outcome = self.call_tool(&tool, make(&tool), cx.clone()).await;
        }
        outcome
    }

    /// As [`Gateway::call`], with a tool that was resolved before. If the request now sees another
    /// definition of it, the call is refused.
    pub async fn call_tool(
        &self,
        tool: &Arc<Tool>,
        mut call: ToolCall,
        cx: Cx,
    ) -> Result<ToolOutput, Error> {
        let view = self.view_of(&call.tool, &cx).await;
        let (current, _) = view.tool(&call.tool)?;
        if !is_equivalent(current, tool) {
            call.expect = call.expect.or_else(|| Some(tool.digest()));
        }
        self.call_in_view(view, call, cx).await
    }

    /// Runs several calls, some at the same time. The results are in the order of the calls, and do
    /// not depend on each other.
    pub async fn call_all(&self, calls: Vec<ToolCall>, cx: Cx) -> Vec<Result<ToolOutput, Error>> {
        let runs = calls.into_iter().map(|call| {
            let cx = cx.clone();
            async { self.call_in_view(self.view_of(&call.tool, &cx).await, call, cx).await }
        });
        stream::iter(runs).buffered(MAX_CONCURRENT_CALLS).collect().await
    }

    /// Runs a call that another replica of the fleet has authorized, and approved if it had to be.
    /// The policies and definitions of this replica count as well. The other replica emits the event
    /// of the call.
    pub async fn call_forwarded(&self, call: ToolCall, cx: Cx) -> Result<ToolOutput, Error> {
        let view = self.view_of(&call.tool, &cx).await;
        let (source, _, call) = authorized(&view, call, true, &cx).await?;
        Ok(source.call(call, cx).await?)
    }

    /// The call that [`Gateway::call_tool`] would run, without running it or requesting approval:
    /// the arguments are checked, and defaults filled in.
    pub fn plan(&self, tool: &Tool, call: ToolCall, cx: &Cx) -> Result<ToolCall, Error> {
        let facts = Arc::new(DefinitionFacts::new(Arc::new(tool.clone())));
        let standing = ToolStanding::new(facts, &self.catalog().policies);
        let now = authorization_context(tool, &standing, true, cx);
        let facts = &standing.facts;
        let call = authorize_checked(call, tool, &now, Some(facts.digest()), |arguments| {
            facts.complete(arguments)
        })?;
        Ok(call.into_inner())
    }

    /// The view of this request, with this tool if it is one of a remote gateway.
    async fn view_of(&self, tool: &ToolId, cx: &Cx) -> CatalogView {
        self.with_remote_tool_of(self.view(cx).await, tool, cx)
    }

    /// Calls a tool of this view; emits the event of the call, and learns from it.
    async fn call_in_view(
        &self,
        view: CatalogView,
        call: ToolCall,
        cx: Cx,
    ) -> Result<ToolOutput, Error> {
        let attempt = self.feedback_attempt(&view, &call.tool, &cx);
        let (cx, pending) = cx.start_event();
        let observed = ObservedCall::new(&view, &call, pending);
        let span = tracing::debug_span!("tool-call", tool = %call.tool);
        let output = self.run(view, call, cx, Some(&observed)).instrument(span).await;
        observed.finish(&output);
        let output = output?;
        self.record_feedback(attempt, &output);
        Ok(output)
    }

    /// Runs a call, after requesting approval if the policy requires it, and compares the result
    /// with the output schema.
    pub(crate) async fn run(
        &self,
        mut view: CatalogView,
        mut call: ToolCall,
        cx: Cx,
        observed: Option<&ObservedCall>,
    ) -> Result<ToolOutput, Error> {
        self.publisher.approvals.store.check_contact()?;
        let mut approval = None;
        if view.tool(&call.tool)?.1.decision.policy == Policy::Ask {
            approval = Some(self.approve_call(&view, &mut call, &cx).await?);
            // The approval may have taken minutes: the policies and definitions of now count.
            view = if view.is_through_meta_tools() {
                self.view(&cx).await.through_meta_tools()
            } else {
                self.view_of(&call.tool, &cx).await
            };
        }
        let (source, facts, call) = authorized(&view, call, approval.is_some(), &cx).await?;
        let id = &facts.tool().id;
        // Redacted only if the log level needs it.
        let arguments = || redact::json(&Value::Object(call.get().arguments.clone()));
        tracing::debug!(event = "tool_call", tool = %id, caller = cx.caller.as_str(), arguments = %arguments());
        if let Some(observed) = observed {
            observed.start(facts.tool());
        }
        let mut output = source.call(call, cx).await?;
        tracing::debug!(event = "tool_result", tool = %id, is_error = output.is_error());
        let warnings = facts.output_mismatches(&output);
        if !warnings.is_empty() {
            tracing::warn!(event = "output_mismatch", tool = %id, warnings = warnings.join("; "));
            output = output.with_warnings(warnings);
        }
        if let Some(approval) = approval {
            self.unfinished_approvals.store_if_unfinished(
                approval,
                &output,
                self.pending_approvals.now(),
            );
        }
        Ok(output)
    }

    /// Obtains the approval of a call, and binds the call to the definition that was approved.
    async fn approve_call(
        &self,
        view: &CatalogView,
        call: &mut ToolCall,
        cx: &Cx,
    ) -> Result<GrantedApproval, Error> {
        let (tool, standing) = view.tool(&call.tool)?;
        match refusal(call, tool, &authorization_context(tool, standing, false, cx)) {
            None | Some(AuthorizationError::NeedsApproval { .. }) => {}
            Some(refusal) => return Err(refusal.into()),
        }
        // A call that cannot be made needs no approval.
        call.arguments = standing.facts.complete(std::mem::take(&mut call.arguments))?;
        let digest = standing.facts.digest();
        let approval = self
            .obtain_approval(call, digest, cx)
            .instrument(tracing::debug_span!("approval"))
            .await?;
        call.expect = Some(digest);
        Ok(approval)
    }
}

/// Authorizes a call by the policies and definitions of this view. Returns it with its source, and
/// with the facts about the definition that it is authorized for.
async fn authorized<'a>(
    view: &'a CatalogView,
    call: ToolCall,
    approved: bool,
    cx: &Cx,
) -> Result<(&'a Arc<dyn Source>, Arc<DefinitionFacts>, Authorized<ToolCall>), Error> {
    let (tool, standing) = view.tool(&call.tool)?;
    let source = view.source(&tool.id.source).ok_or_else(|| not_mine(tool))?;
    let facts = &standing.facts;
    let now = authorization_context(tool, standing, approved, cx);
    let is_bound = call.expect.is_some();
    // The meta tool of a remote gateway is bound to no definition: its description changes with the
    // tools of that gateway.
    let bound_to = (!view.is_through_meta_tools()).then(|| facts.digest());
    let call =
        authorize_checked(call, tool, &now, bound_to, |arguments| facts.complete(arguments))?;
    if view.is_through_meta_tools() {
        return Ok((source, facts.clone(), call));
    }
    if let Some(remote) = view.remote_tool() {
        let call = remote_call(view, remote, call.into_inner(), is_bound, approved, cx)?;
        return Ok((source, facts.clone(), call));
    }
    if tool.status == Status::Ready {
        return Ok((source, facts.clone(), call));
    }
    let full = Arc::new(DefinitionFacts::new(Arc::new(load(source, tool, facts, cx).await?)));
    let call = ToolCall { expect: None, ..call.into_inner() };
    let digest = Some(full.digest());
    let now = AuthorizationContext { digest, ..now };
    let call =
        authorize_checked(call, full.tool(), &now, digest, |arguments| full.complete(arguments))?;
    Ok((source, full, call))
}

/// A call of a tool of a remote gateway, as a call of that gateway's `execute_tool`, which is
/// authorized as well.
fn remote_call(
    view: &CatalogView,
    remote: &RemoteTool,
    call: ToolCall,
    is_bound: bool,
    approved: bool,
    cx: &Cx,
) -> Result<Authorized<ToolCall>, Error> {
    let meta_tool = delegation::id(&remote.tool.id.source, delegation::EXECUTE)
        .and_then(|value| view.catalog.tool(&value));
    let (meta_tool, standing) = meta_tool.ok_or_else(|| not_mine(&remote.tool))?;
    let call = remote.to_meta_call(meta_tool, call, is_bound)?;
    // The decision about the tool is the decision about the meta tool.
    let now = AuthorizationContext {
        digest: Some(standing.facts.digest()),
        ..authorization_context(meta_tool, &remote.standing, approved, cx)
    };
    authorize_checked(call, meta_tool, &now, None, |arguments| standing.facts.complete(arguments))
}

fn authorization_context(
    tool: &Tool,
    standing: &ToolStanding,
    approved: bool,
    cx: &Cx,
) -> AuthorizationContext {
    AuthorizationContext {
        caller: cx.caller,
        policy: standing.decision.policy,
        reason: standing.decision.reason.clone(),
        trusted: tool.provenance.trusted,
        approved,
        digest: Some(standing.facts.digest()),
    }
}

/// The full definition. If it is subject to review, it must be the reviewed one.
async fn load(
    source: &Arc<dyn Source>,
    tool: &Tool,
    facts: &DefinitionFacts,
    cx: &Cx,
) -> Result<Tool, Error> {
    let full = source.load(&tool.id.name, cx.clone()).await?.ok_or_else(|| not_mine(tool))?;
    if source.review() != ReviewMode::Unneeded && full.digest() != facts.digest() {
        return Err(AuthorizationError::Changed { tool: tool.id.to_string() }.into());
    }
    Ok(full)
}

fn not_mine(tool: &Tool) -> Error {
    SourceError::NotMine { id: tool.id.source.clone(), name: tool.id.name.as_str().to_owned() }
        .into()
}
