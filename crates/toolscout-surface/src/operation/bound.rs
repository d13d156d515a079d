//! Type-erased operations bound to a workspace, and the checks that wrap every run.

use super::error::ErrorCode;
use super::{
    Access, Effect, InputSchema, ItemStream, Operation, OperationError, OperationOutput,
    OperationSpec, OutputSchema, StreamItem, StreamOperation,
};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use toolscout_core::cx::Role;
use toolscout_core::event::{EventKind, OperationEvent};
use toolscout_core::{BoxFuture, Cx, escape};

/// A slot for the workspace, filled later: the commands are listed before the workspace exists.
pub type WorkspaceSlot<W> = Arc<OnceLock<Arc<W>>>;

type Start<T> = Box<
    dyn Fn(Map<String, Value>, Cx) -> BoxFuture<'static, Result<T, OperationError>> + Send + Sync,
>;

enum Run {
    Once(Start<OperationOutput>),
    Stream(Start<ItemStream<StreamItem>>),
}

/// An operation bound to a workspace.
pub struct BoundOperation {
    /// Name, access level, route and help texts.
    pub spec: OperationSpec,
    pub(crate) input: InputSchema,
    pub(crate) output: OutputSchema,
    run: Run,
}

impl BoundOperation {
    /// Binds an operation to the workspace in this slot, which is filled before anything runs.
    pub fn new<W: Send + Sync + 'static, T: Operation<W>>(workspace: &WorkspaceSlot<W>) -> Self {
        let workspace = workspace.clone();
        let run = Run::Once(Box::new(move |input, cx| {
            let workspace = workspace.get().cloned();
            Box::pin(async move {
                let (workspace, input) = (require_workspace(workspace)?, parse_input(input)?);
                T::run(&workspace, input, &cx).await.map(OperationOutput::from_output::<W, T>)
            })
        }));
        Self {
            spec: T::SPEC,
            input: InputSchema::for_type::<T::Input>(),
            output: OutputSchema::for_type::<T::Output>(),
            run,
        }
    }

    /// Binds an operation that returns a stream.
    pub fn stream<W: Send + Sync + 'static, T: StreamOperation<W>>(
        workspace: &WorkspaceSlot<W>,
    ) -> Self {
        let workspace = workspace.clone();
        let run = Run::Stream(Box::new(move |input, cx| {
            let workspace = workspace.get().cloned();
            Box::pin(async move {
                let (workspace, input) = (require_workspace(workspace)?, parse_input(input)?);
                let items = T::open(&workspace, input, &cx).await?;
                Ok(items.map(|item| item.map(StreamItem::from_item::<W, T>)).boxed())
            })
        }));
        Self {
            spec: T::SPEC,
            input: InputSchema::for_type::<T::Input>(),
            output: OutputSchema::for_type::<T::Item>(),
            run,
        }
    }

    /// Whether it returns a stream. If so, [`Self::open`] runs it; otherwise [`Self::invoke`].
    pub fn is_stream(&self) -> bool {
        matches!(self.run, Run::Stream(_))
    }

    /// Opens the stream, after it checks the role and the input.
    pub async fn open(
        &self,
        input: Map<String, Value>,
        cx: Cx,
    ) -> Result<ItemStream<StreamItem>, OperationError> {
        let mut report = OperationReport::start(self.spec.name, &cx);
        let opened = self.open_checked(input, cx.clone()).await;
        report.outcome = if opened.is_ok() { "succeeded" } else { "failed" };
        opened
    }

    async fn open_checked(
        &self,
        input: Map<String, Value>,
        cx: Cx,
    ) -> Result<ItemStream<StreamItem>, OperationError> {
        self.check_access(&cx)?;
        let input = self.input.check("the input", input)?;
        match &self.run {
            Run::Stream(open) => open(input, cx).await,
            Run::Once(_) => Err(self.misuse_error("returns no stream")),
        }
    }

    /// Runs the operation: checks the role and the input, enforces the deadline, responds to a
    /// dry run, and emits the event. Every surface goes through here.
    pub async fn invoke(
        &self,
        input: Map<String, Value>,
        cx: Cx,
    ) -> Result<OperationOutput, OperationError> {
        let mut report = OperationReport::start(self.spec.name, &cx);
        let output = self.invoke_checked(input, cx.clone()).await;
        report.outcome = match &output {
            Ok(output) if output.planned.is_some() => "dry_run",
            Ok(_) => "succeeded",
            Err(_) => "failed",
        };
        output
    }

    async fn invoke_checked(
        &self,
        input: Map<String, Value>,
        cx: Cx,
    ) -> Result<OperationOutput, OperationError> {
        self.check_access(&cx)?;
        let input = self.input.check("the input", input)?;
        let cx = match self.spec.deadline {
            Some(limit) => cx.within(limit),
            None => cx,
        };
        let deadline = cx.deadline;
        let Run::Once(run) = &self.run else { return Err(self.misuse_error("returns a stream")) };
        let run = run(input, cx);
        let result = match deadline {
            Some(deadline) => tokio::time::timeout_at(deadline.into(), run)
                .await
                .unwrap_or_else(|_| Err(self.timeout_error())),
            None => run.await,
        };
        match result {
            Err(OperationError { dry_run: Some(dry_run), .. }) => {
                Ok(OperationOutput::dry_run(dry_run.0))
            }
            other => other,
        }
    }

    /// Whether the caller may run it. Surfaces check this before they read anything of a request.
    pub fn check_access(&self, cx: &Cx) -> Result<(), OperationError> {
        let (name, profile) = (self.spec.name, cx.profile.as_deref());
        let forbidden = |message: String| OperationError::new(ErrorCode::Forbidden, message);
        let is_limited = self.spec.access != Access::Open && !self.spec.keeps_profile;
        if let Some(profile) = profile.filter(|_| is_limited) {
            let profile = escape::line(profile);
            let message = format!("a token for the profile `{profile}` cannot use `{name}`");
            let error = forbidden(message);
            return Err(error.hint("use a token without a profile"));
        }
        match cx.role {
            _ if self.spec.access != Access::Operator => Ok(()),
            Role::Operator => Ok(()),
            Role::Agent => {
                let error = forbidden(format!("`{name}` needs operator rights"));
                Err(error.hint("use an operator token, or sign in with `toolscout ui`"))
            }
            Role::Tool if !self.is_decision() => Ok(()),
            Role::Tool => Err(tool_error(name)),
        }
    }

    /// Whether a tool or server of toolscout cannot use it.
    fn is_decision(&self) -> bool {
        self.spec.effect == Effect::Change || self.spec.is_decision
    }

    fn misuse_error(&self, what: &str) -> OperationError {
        OperationError::new(ErrorCode::Internal, format!("`{}` {what}", self.spec.name))
    }

    fn timeout_error(&self) -> OperationError {
        OperationError::new(ErrorCode::TimedOut, format!("`{}` timed out", self.spec.name))
    }
}

/// The error for a command that was started by a tool or a server.
pub fn tool_error(name: &str) -> OperationError {
    let message = format!(
        "`{name}` is for operators, and a tool or server of toolscout started this process"
    );
    OperationError::new(ErrorCode::Forbidden, message)
        .hint("run it yourself, in a terminal that no tool has opened")
}

/// Emits the event of a run when it ends, also if its future is dropped early.
struct OperationReport<'a> {
    name: &'static str,
    outcome: &'static str,
    started_at: Instant,
    cx: &'a Cx,
}

impl<'a> OperationReport<'a> {
    fn start(name: &'static str, cx: &'a Cx) -> Self {
        Self { name, outcome: "cancelled", started_at: Instant::now(), cx }
    }
}

impl Drop for OperationReport<'_> {
    fn drop(&mut self) {
        let event = OperationEvent { name: self.name, outcome: self.outcome };
        self.cx.emit_since(self.started_at, || EventKind::Operation(event));
    }
}

fn require_workspace<W>(workspace: Option<Arc<W>>) -> Result<Arc<W>, OperationError> {
    workspace.ok_or_else(|| {
        OperationError::new(ErrorCode::SourceUnavailable, "toolscout is still starting")
    })
}

fn parse_input<T: DeserializeOwned>(input: Map<String, Value>) -> Result<T, OperationError> {
    serde_json::from_value(Value::Object(input))
        .map_err(|error| OperationError::invalid(format!("the input is invalid: {error}")))
}

/// All operations of a program, bound to its workspace.
#[derive(Clone, Default)]
pub struct Operations(Arc<[Arc<BoundOperation>]>);

impl Operations {
    pub fn new(all: Vec<BoundOperation>) -> Self {
        Self(all.into_iter().map(Arc::new).collect())
    }

    /// All operations, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<BoundOperation>> {
        self.0.iter()
    }

    /// The operation of this name.
    pub fn find(&self, name: &str) -> Option<&Arc<BoundOperation>> {
        self.iter().find(|operation| operation.spec.name == name)
    }
}
