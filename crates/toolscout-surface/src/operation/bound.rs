//! Operations bound to a workspace, without their types, and what wraps every run.

use super::error::ErrorCode;
use super::{Access, InputSchema, Operation, OperationError, OperationOutput, OperationSpec, OutputSchema};
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};
use toolscout_core::cx::Role;
use toolscout_core::{BoxFuture, Cx};

/// Where the workspace will be: commands are known before it exists.
pub type WorkspaceSlot<W> = Arc<OnceLock<Arc<W>>>;

type Run =
    Box<dyn Fn(Map<String, Value>, Cx) -> BoxFuture<'static, Result<OperationOutput, OperationError>> + Send + Sync>;

/// An operation bound to a workspace.
pub struct BoundOperation {
    /// Its name, access level and words.
    pub spec: OperationSpec,
    pub(crate) input: InputSchema,
    pub(crate) output: OutputSchema,
    run: Run,
}

impl BoundOperation {
    /// Binds an operation to the workspace in this slot, which is filled before anything runs.
    pub fn new<W: Send + Sync + 'static, T: Operation<W>>(workspace: &WorkspaceSlot<W>) -> Self {
        let workspace = workspace.clone();
        let run: Run = Box::new(move |input, cx| {
            let workspace = workspace.get().cloned();
            Box::pin(async move {
                let starting = || OperationError::new(ErrorCode::SourceUnavailable, "toolscout is still starting");
                let workspace = workspace.ok_or_else(starting)?;
                let input = serde_json::from_value(Value::Object(input))
                    .map_err(|error| OperationError::invalid(format!("the input is invalid: {error}")))?;
                T::run(&workspace, input, &cx).await.map(OperationOutput::of::<W, T>)
            })
        });
        Self { spec: T::SPEC, input: InputSchema::of::<T::Input>(), output: OutputSchema::of::<T::Output>(), run }
    }

    /// Runs it: checks the role and the input, keeps the deadline, and answers a dry run. Every surface comes through here.
    pub async fn invoke(&self, input: Map<String, Value>, cx: Cx) -> Result<OperationOutput, OperationError> {
        self.check_access(cx.role)?;
        let input = self.input.check("the input", input)?;
        let cx = match self.spec.deadline {
            Some(limit) => cx.within(limit),
            None => cx,
        };
        let deadline = cx.deadline;
        let run = (self.run)(input, cx);
        let result = match deadline {
            Some(deadline) => {
                tokio::time::timeout_at(deadline.into(), run).await.unwrap_or_else(|_| Err(self.timed_out()))
            }
            None => run.await,
        };
        match result {
            Err(OperationError { dry_run: Some(dry_run), .. }) => Ok(OperationOutput::dry_run(dry_run.0)),
            other => other,
        }
    }

    /// Whether this role may run it. Surfaces ask before they read anything of a request.
    pub(crate) fn check_access(&self, role: Role) -> Result<(), OperationError> {
        if self.spec.access != Access::Operator || role == Role::Operator {
            return Ok(());
        }
        let error = OperationError::new(ErrorCode::Forbidden, format!("`{}` needs operator rights", self.spec.name));
        Err(error.hint("Use the token in `operator.token`, or sign in with `toolscout ui`."))
    }

    fn timed_out(&self) -> OperationError {
        OperationError::new(ErrorCode::TimedOut, format!("`{}` timed out", self.spec.name))
    }
}

/// All operations of a program, bound to its workspace.
#[derive(Clone, Default)]
pub struct Operations(Arc<[Arc<BoundOperation>]>);

impl Operations {
    /// These operations.
    pub fn new(all: Vec<BoundOperation>) -> Self {
        Self(all.into_iter().map(Arc::new).collect())
    }

    /// All of them, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<BoundOperation>> {
        self.0.iter()
    }

    /// The operation of this name.
    pub fn find(&self, name: &str) -> Option<&Arc<BoundOperation>> {
        self.iter().find(|operation| operation.spec.name == name)
    }
}
