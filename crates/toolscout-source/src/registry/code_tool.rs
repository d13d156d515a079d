//! A tool and the closure that implements it.

use super::empty;
use futures_util::FutureExt;
use serde_json::Value;
use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use toolscout_core::{Arguments, BoxFuture, Cx, SourceError, Tool, ToolOutput};

/// The error of a tool's closure: anything that `?` can box. Its text becomes the output of the
/// failed tool, but a [`SourceError`] is returned as is.
pub type RunError = Box<dyn std::error::Error + Send + Sync>;

type ToolFunction =
    Arc<dyn Fn(Arguments, Cx) -> BoxFuture<'static, Result<ToolOutput, RunError>> + Send + Sync>;

/// A tool and the closure that implements it.
#[derive(Clone)]
pub struct CodeTool {
    /// The definition.
    pub tool: Tool,
    run: ToolFunction,
    /// The schema whose required strings must not be empty.
    refuses_empty: Option<Arc<Value>>,
}

impl CodeTool {
    /// Joins a definition with its implementation. A [`super::ToolBuilder`] makes both.
    pub fn new<F, W>(tool: Tool, run: F) -> Self
    where
        F: Fn(Arguments, Cx) -> W + Send + Sync + 'static,
        W: Future<Output = Result<ToolOutput, RunError>> + Send + 'static,
    {
        let run: ToolFunction = Arc::new(move |arguments, cx| Box::pin(run(arguments, cx)));
        Self { tool, run, refuses_empty: None }
    }

    /// Refuses calls with an empty string for a required argument of this schema.
    pub(super) fn refusing_empty(self, schema: Value) -> Self {
        Self { refuses_empty: Some(Arc::new(schema)), ..self }
    }

    /// Runs the tool until it returns or the deadline passes. A panic is a failure of the tool, not
    /// of toolscout.
    pub(super) async fn call(
        &self,
        arguments: Arguments,
        cx: Cx,
    ) -> Result<ToolOutput, SourceError> {
        let schema = self.refuses_empty.as_deref();
        if let Some(path) = schema.and_then(|schema| empty::first_empty(schema, &arguments)) {
            let reason = format!("required parameter cannot be empty: {path}");
            return Err(SourceError::Invalid { reason });
        }
        let deadline = cx.deadline;
        let limit = cx.remaining().unwrap_or_default();
        // The closure is called inside the future, since it may panic before it returns one.
        let work = AssertUnwindSafe(async { (self.run)(arguments, cx).await }).catch_unwind();
        let result = match deadline {
            None => work.await,
            Some(deadline) => match tokio::time::timeout_at(deadline.into(), work).await {
                Ok(result) => result,
                Err(_) => return Err(self.timed_out(limit)),
            },
        };
        match result {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(error)) => error.downcast().map_or_else(
                |error| Ok(ToolOutput::failure(error.to_string())),
                |source_error| Err(*source_error),
            ),
            Err(payload) => Ok(ToolOutput::failure(format!(
                "`{}` panicked: {}",
                self.tool.id.name,
                panic_message(&*payload)
            ))),
        }
    }

    fn timed_out(&self, limit: std::time::Duration) -> SourceError {
        let what = format!("`{}`", self.tool.id.name);
        SourceError::TimedOut { id: self.tool.id.source.clone(), what, limit }
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

impl fmt::Debug for CodeTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CodeTool").field(&self.tool.id).finish()
    }
}
