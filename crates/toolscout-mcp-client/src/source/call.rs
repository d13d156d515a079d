//! Calls a tool of a server, over the connection that suits the caller.

use super::McpSource;
use crate::discovery::{effective_deadline, with_configured_limit};
use crate::input_required;
use crate::placement::{Attempts, CallTarget};
use crate::running::{Callable, InUse};
use crate::supervisor::Phase;
use crate::{ClientError, FleetPlacement, ForwardError, Placement};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Cx, Source, SourceError, ToolCall, ToolOutput};
use toolscout_process::sandbox::Denial;

impl McpSource {
    pub(super) async fn run(&self, call: ToolCall, cx: &Cx) -> Result<ToolOutput, SourceError> {
        call.refuse_rest()?;
        self.check_may_start()?;
        match &self.context.connect.placement {
            Some(placement) if self.server.placement == Placement::One => {
                self.run_placed(placement, call, cx).await
            }
            _ => self.run_here(call, cx).await,
        }
    }

    /// Runs the call on the replica of the fleet that runs the server. If there is none, this one
    /// starts it.
    async fn run_placed(
        &self,
        placement: &FleetPlacement,
        call: ToolCall,
        cx: &Cx,
    ) -> Result<ToolOutput, SourceError> {
        let id = self.id();
        let deadline = effective_deadline(cx, self.call_time_limit());
        let attempts = Attempts::until(deadline);
        loop {
            let target = match self.connections.phase() {
                _ if cx.is_forwarded => CallTarget::Here,
                Phase::Running(_) => CallTarget::Here,
                _ => placement.target(&self.server),
            };
            match target {
                CallTarget::Here => match self.connections.main.acquire(cx).await {
                    Ok(_in_use) => return self.run_here(call, cx).await,
                    Err(ClientError::Elsewhere { replica: Some(replica), .. })
                        if !cx.is_forwarded =>
                    {
                        placement.set_owner(id, Some(replica));
                        continue;
                    }
                    Err(error) => return Err(error.into_source_error(id)),
                },
                CallTarget::Replica(replica) => {
                    match placement.forward(&replica, &call, cx, deadline).await {
                        Ok(output) => {
                            placement.set_owner(id, Some(replica));
                            return Ok(output);
                        }
                        Err(ForwardError::Failed(error)) => return Err(error),
                        Err(ForwardError::NotRun) => placement.set_owner(id, None),
                    }
                }
            }
            if !attempts.next().await {
                let what = "busy, retry after 1 s: it moves to another replica of the fleet";
                let (id, after) = (id.clone(), Some(Duration::from_secs(1)));
                return Err(SourceError::Busy { id, what: what.to_owned(), after });
            }
        }
    }

    async fn run_here(&self, call: ToolCall, cx: &Cx) -> Result<ToolOutput, SourceError> {
        let (id, name) = (self.id(), &call.tool.name);
        let limit = self.call_time_limit();
        let place = self.connections.take_place(cx, effective_deadline(cx, limit)).await;
        let place = place.map_err(|error| error.into_source_error(id))?;
        let (in_use, tool) = self.locate(&call, cx).await?;
        let running = &in_use.0;
        let deadline = place.deadline(cx, limit);
        let (schema, _) = tool.read(id);
        let result = running.client.call_tool(&call, Some(schema), cx, deadline).await;
        running.record_answer();
        let raw = result.map_err(|error| {
            with_configured_limit(error, limit, deadline, cx).into_source_error(id)
        })?;
        let output = ToolOutput::from_raw(raw).map_err(|reason| SourceError::Protocol {
            id: id.clone(),
            reason: format!("`{name}` returned an invalid result: {reason}"),
        })?;
        let needs_input = output.wants_input() && running.client.era().is_modern();
        let describe_input = || input_required::describe(output.raw());
        match (needs_input && cx.reverse_channel.is_none()).then(describe_input).flatten() {
            Some(required_input) => {
                let reason = format!(
                    "`{name}` needs input that this client cannot provide: {required_input}"
                );
                Err(SourceError::Protocol { id: id.clone(), reason })
            }
            None if output.is_error() && running.client.is_confined() => {
                let denials = denials(&output);
                let hints = denials.iter().map(|denial| denial.hint(id.as_str())).collect();
                if let Some(log) = self.context.denials() {
                    log.record(id.clone(), denials).await;
                }
                Ok(output.with_warnings(hints))
            }
            None => Ok(output),
        }
    }

    /// The connection for this caller, and the tool as the server lists it there.
    async fn locate(
        &self,
        call: &ToolCall,
        cx: &Cx,
    ) -> Result<(InUse, Arc<Callable>), SourceError> {
        if let Some(located) = self.locate_legacy(call, cx).await {
            return Ok(located);
        }
        let (id, name, main) = (self.id(), &call.tool.name, &self.connections.main);
        let in_use = main.acquire(cx).await.map_err(|error| error.into_source_error(id))?;
        let (definition, has_changed) = in_use.0.definition(name, cx).await?;
        if has_changed {
            main.notify_changed();
        }
        let tool = definition.ok_or_else(|| self.not_mine(name))?;
        if !is_expected(call, &tool.read(id).1) {
            main.notify_changed();
            return Err(SourceError::Changed { id: id.clone(), name: name.to_string() });
        }
        Ok((in_use, tool))
    }

    /// The same on the legacy connection, if the caller is better served there and the server
    /// lists the approved definition there as well.
    async fn locate_legacy(&self, call: &ToolCall, cx: &Cx) -> Option<(InUse, Arc<Callable>)> {
        // Only the connection that has requested input can accept it.
        if call.resume.is_some() {
            return None;
        }
        let in_use = self.connections.acquire_legacy(cx).await?;
        let (definition, _) = in_use.0.definition(&call.tool.name, cx).await.ok()?;
        let tool = definition.filter(|tool| is_expected(call, &tool.read(self.id()).1))?;
        Some((in_use, tool))
    }
}

/// Whether this is the definition that was approved.
fn is_expected(call: &ToolCall, digest: &toolscout_core::Digest) -> bool {
    call.expect.as_ref().is_none_or(|expect| expect == digest)
}

/// What the sandbox seems to have denied to the tool.
fn denials(output: &ToolOutput) -> Vec<Denial> {
    let content = output.content();
    let texts = content.iter().filter_map(|block| block["text"].as_str());
    texts.flat_map(Denial::find).collect()
}
