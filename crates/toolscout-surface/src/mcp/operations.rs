//! Operations as MCP tools: the meta tools, and the operations that the operator exposes.

use crate::cli::nearest;
use crate::operation::{
    BoundOperation, Effect, MetaTool, OperationError, OperationOutput, Operations, Text,
};
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::cx::Role;
use toolscout_core::{Arguments, Cx, RawJson, ToolOutput, escape};

const JSON: &str = "application/json";

/// The operations that one MCP server offers as tools.
#[derive(Clone, Default)]
pub struct OperationTools {
    meta_tools: Vec<MetaTool>,
    pub(super) exposed: Vec<Arc<ExposedOperation>>,
}

impl OperationTools {
    /// The meta tools among these operations, and those that the operator exposes by name. An
    /// operation that changes anything is rejected: an agent must never decide for a person.
    pub fn new(operations: &Operations, exposed: &[String]) -> Result<Self, OperationError> {
        let meta_tools =
            operations.iter().filter_map(|operation| operation.spec.meta_tool).collect();
        let mut exposed: Vec<_> = exposed.iter().map(String::as_str).collect();
        exposed.sort_unstable();
        exposed.dedup();
        let expose = |name: &str| {
            find(operations, name).map(|operation| Arc::new(ExposedOperation::new(operation)))
        };
        Ok(Self { meta_tools, exposed: exposed.into_iter().map(expose).collect::<Result<_, _>>()? })
    }

    /// The meta tool with this name.
    pub(super) fn meta_tool(&self, name: &str) -> Option<MetaTool> {
        self.meta_tools.iter().copied().find(|meta_tool| meta_tool.name() == name)
    }

    /// The exposed operation with this name.
    pub(super) fn exposed(&self, name: &str) -> Option<&Arc<ExposedOperation>> {
        self.exposed.iter().find(|operation| operation.name == name)
    }
}

/// Finds the operation with this name, if it can be exposed.
fn find<'a>(
    operations: &'a Operations,
    name: &str,
) -> Result<&'a Arc<BoundOperation>, OperationError> {
    let shown = escape::line(name);
    let Some(operation) = operations.find(name) else {
        let exposable = operations.iter().filter(|operation| rejection_reason(operation).is_none());
        let names: Vec<_> = exposable.map(|operation| operation.spec.name).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("choose from: {}", names.join(", ")),
        };
        let message = format!("`serve.operations`: there is no operation `{shown}`");
        return Err(OperationError::invalid(message).hint(hint));
    };
    match rejection_reason(operation) {
        None => Ok(operation),
        Some(reason) => {
            let message = format!("`serve.operations`: `{shown}` {reason}");
            Err(OperationError::invalid(message)
                .hint("remove it from your configuration: only read operations can be exposed"))
        }
    }
}

/// The reason why an operation cannot be exposed. A method other than GET means that it does
/// something besides reading, although it changes no configuration: for example it starts a server,
/// or creates a sign-in link.
fn rejection_reason(operation: &BoundOperation) -> Option<String> {
    let spec = &operation.spec;
    match spec.meta_tool {
        Some(meta_tool) => {
            Some(format!("is already available to agents as `{}`", meta_tool.name()))
        }
        None if spec.effect != Effect::Read => {
            Some("changes something, which agents may not do".to_owned())
        }
        None if spec.route.method != "GET" => {
            Some("does more than read, which agents may not do".to_owned())
        }
        None if operation.is_stream() => {
            Some("returns a stream, but a tool returns one result".to_owned())
        }
        None => None,
    }
}

/// An operation that agents call as a tool. It never shadows a tool: if a tool has its name, it is
/// not offered.
pub(super) struct ExposedOperation {
    pub(super) name: String,
    /// The entry in the list of tools.
    pub(super) definition: String,
    is_structured: bool,
    operation: Arc<BoundOperation>,
}

impl ExposedOperation {
    fn new(operation: &Arc<BoundOperation>) -> Self {
        let spec = &operation.spec;
        let name = format!("toolscout_{}", spec.name.replace(' ', "_"));
        let output = operation.output.inlined();
        let is_structured = spec.media_type == JSON && output["type"] == "object";
        let mut definition = json!({
            "name": name,
            "description": spec.summary,
            "inputSchema": operation.input.for_programs(),
            "annotations": {"readOnlyHint": spec.effect == Effect::Read, "openWorldHint": false},
        });
        if is_structured {
            definition["outputSchema"] = output;
        }
        Self {
            name,
            definition: definition.to_string(),
            is_structured,
            operation: operation.clone(),
        }
    }

    /// Runs the operation with the operator's role. Exposing an operation is the operator's grant;
    /// nothing else runs with that role.
    pub(super) async fn run(&self, input: Arguments, cx: Cx) -> ToolOutput {
        match self.operation.invoke(input, Cx { role: Role::Operator, ..cx }).await {
            Ok(output) => self.result(&output).unwrap_or_else(ToolOutput::failure),
            Err(OperationError { message, hint, .. }) => {
                let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
                ToolOutput::failure(escape::text(&format!("{message}{hint}")))
            }
        }
    }

    fn result(&self, output: &OperationOutput) -> Result<ToolOutput, &'static str> {
        let mut texts = vec![output.text(&Text::default())];
        texts.extend(output.warnings.iter().map(|warning| format!("warning: {warning}")));
        texts.extend(output.notes.iter().map(|note| format!("note: {note}")));
        let content: Vec<Value> =
            texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        let mut result = json!({"content": content}).to_string();
        if self.is_structured {
            let json = output.to_json().ok().and_then(|json| String::from_utf8(json).ok());
            result.truncate(result.len() - 1);
            result += &format!(
                ",\"structuredContent\":{}}}",
                json.ok_or("the output could not be serialized")?
            );
        }
        ToolOutput::from_raw(
            RawJson::parse(&result).map_err(|_| "the output could not be serialized")?,
        )
    }
}
