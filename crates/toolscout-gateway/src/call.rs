//! Takes a call to its tool: resolve, authorize, check, ask, load, check again, run, look at the result.

use crate::ask::Word;
use crate::check::{self, Check};
use crate::{Error, Gateway};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::sync::Arc;
use toolscout_core::door::{Circumstances, Policy, Refusal, authorize, refusal};
use toolscout_core::{
    Arguments, Authorized, Cx, Review, Source, SourceError, Status, Tool, ToolCall, ToolOutput, redact,
};

/// Calls of one batch that run at the same time.
const TOGETHER: usize = 8;

impl Gateway {
    /// Runs the tool that the name means. Nothing starts before the arguments fit and the door has let the call
    /// through. Cancel-safe: dropping the future ends what the tool has started.
    pub async fn call(&self, name: &str, arguments: Arguments, cx: Cx) -> Result<ToolOutput, Error> {
        let tool = self.find(name, &cx).await?;
        self.call_tool(&tool, ToolCall::new(tool.id.clone(), arguments), cx).await
    }

    /// As [`Gateway::call`], for who knows the tool already. What counts is the tool as it is known now: if that is not
    /// the one that was passed, the call is refused.
    pub async fn call_tool(&self, tool: &Arc<Tool>, mut call: ToolCall, cx: Cx) -> Result<ToolOutput, Error> {
        let current = self.current(&call)?;
        if !Arc::ptr_eq(&current, tool) {
            call.expect = call.expect.or_else(|| Some(tool.digest()));
        }
        self.run(current, call, cx).await
    }

    /// Runs several calls, some at the same time; the results come in the order of the calls, and one that fails does not
    /// touch the others.
    pub async fn call_all(&self, calls: Vec<ToolCall>, cx: Cx) -> Vec<Result<ToolOutput, Error>> {
        let runs = calls.into_iter().map(|call| {
            let cx = cx.clone();
            async { self.run(self.current(&call)?, call, cx).await }
        });
        stream::iter(runs).buffered(TOGETHER).collect().await
    }

    /// What [`Gateway::call_tool`] would run, without running it: the arguments checked, defaults filled in. Nobody is
    /// asked.
    pub fn plan(&self, tool: &Tool, call: ToolCall, cx: &Cx) -> Result<ToolCall, Error> {
        let now = Circumstances { approved: true, ..self.circumstances(tool, cx) };
        self.admit(tool, call, now).map(Authorized::into_inner)
    }

    async fn run(&self, tool: Arc<Tool>, mut call: ToolCall, cx: Cx) -> Result<ToolOutput, Error> {
        let now = self.circumstances(&tool, &cx);
        match refusal(&call, &tool, &now) {
            None | Some(Refusal::NeedsApproval { .. }) => {}
            Some(refusal) => return Err(refusal.into()),
        }
        let approved = now.policy == Policy::Ask;
        if approved {
            // Nobody is asked about a call that cannot be made.
            call.arguments = Check::of(&tool)?.arguments(call.arguments)?;
            self.consent(&tool, &call, &cx).await?;
            call.expect = Some(tool.digest());
        }
        // Asking may have taken minutes: what counts is how things stand now.
        let mut tool = self.current(&call)?;
        let now = Circumstances { approved, ..self.circumstances(&tool, &cx) };
        let source = self.source(&tool.id.source).ok_or_else(|| not_mine(&tool))?;
        let mut authorized = self.admit(&tool, call, now.clone())?;
        if tool.status != Status::Ready {
            let full = load(source, &tool, &cx).await?;
            let call = ToolCall { expect: None, ..authorized.into_inner() };
            authorized = self.admit(&full, call, now)?;
            tool = Arc::new(full);
        }
        let arguments = || redact::secrets(&Value::Object(authorized.get().arguments.clone()));
        tracing::debug!(event = "tool_call", tool = %tool.id, caller = cx.caller.word(), arguments = %arguments());
        let output = source.call(authorized, cx).await?;
        tracing::debug!(event = "tool_result", tool = %tool.id, is_error = output.is_error());
        let doubts = check::doubts(&tool, &output);
        if !doubts.is_empty() {
            tracing::warn!(event = "output_mismatch", tool = %tool.id, doubts = doubts.join("; "));
        }
        Ok(output.with_doubts(doubts))
    }

    /// The only way to a source: the arguments fit, the door agrees, and what is sent is bound to this very definition,
    /// so that a source whose live one differs can tell.
    fn admit(&self, tool: &Tool, mut call: ToolCall, now: Circumstances) -> Result<Authorized<ToolCall>, Error> {
        if let Some(refusal) = refusal(&call, tool, &now) {
            return Err(refusal.into());
        }
        call.arguments = Check::of(tool)?.arguments(call.arguments)?;
        call.expect = Some(tool.digest());
        Ok(authorize(call, tool, now)?)
    }

    /// The tool that the call names, as it is known now.
    fn current(&self, call: &ToolCall) -> Result<Arc<Tool>, Error> {
        let published = self.board.now();
        match published.all.tool(&call.tool) {
            Some(known) => Ok(known.tool.clone()),
            None => Err(Error::UnknownTool { name: call.tool.to_string(), nearest: Vec::new() }),
        }
    }

    fn circumstances(&self, tool: &Tool, cx: &Cx) -> Circumstances {
        let decision = self.board.now().policies.effective(tool);
        Circumstances {
            policy: decision.policy,
            because: decision.because,
            trusted: tool.provenance.trusted,
            ..Circumstances::of(cx.caller)
        }
    }

    /// Has a person say yes to this very call: right away, where one can be asked, else by an answer that waits.
    async fn consent(&self, tool: &Tool, call: &ToolCall, cx: &Cx) -> Result<(), Error> {
        let name = tool.id.to_string();
        let (questions, digest) = (&self.questions, tool.digest());
        let question = questions.of(call, digest, cx);
        if let Some(asker) = &cx.asker {
            match within(cx, asker(question.clone())).await {
                Some(true) => return Ok(()),
                Some(false) => {
                    return Err(
                        Refusal::Denied { tool: name, because: "by the person who was asked".to_owned() }.into()
                    );
                }
                None => {}
            }
        }
        match questions.word(call, digest, cx) {
            Word::Yes => Ok(()),
            Word::No => Err(Refusal::Denied { tool: name, because: "by a person".to_owned() }.into()),
            Word::Waiting => Err(Refusal::NeedsApproval { tool: name, question: Some(question.id) }.into()),
            Word::Unkept => Err(Refusal::NeedsApproval { tool: name, question: None }.into()),
        }
    }
}

/// What comes of it before the request is due; none where nothing does.
async fn within<T>(cx: &Cx, work: impl Future<Output = T>) -> Option<T> {
    match cx.deadline {
        Some(deadline) => tokio::time::timeout_at(deadline.into(), work).await.ok(),
        None => Some(work.await),
    }
}

/// The full definition. One that is under review must be the one that was reviewed.
async fn load(source: &Arc<dyn Source>, tool: &Tool, cx: &Cx) -> Result<Tool, Error> {
    let full = source.load(&tool.id.name, cx.clone()).await?.ok_or_else(|| not_mine(tool))?;
    if source.review() != Review::Unneeded && full.digest() != tool.digest() {
        return Err(Refusal::Changed { tool: tool.id.to_string() }.into());
    }
    Ok(full)
}

fn not_mine(tool: &Tool) -> Error {
    SourceError::NotMine { id: tool.id.source.clone(), name: tool.id.name.as_str().to_owned() }.into()
}
