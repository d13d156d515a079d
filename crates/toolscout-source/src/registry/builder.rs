//! Builds a tool from a name, a description and a closure.

use super::param::{self, Param};
use super::{CodeTool, RunError};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolscout_core::{
    Arguments, CliHints, Cx, InvalidName, RawJson, SourceError, SourceId, Tool, ToolId, ToolName,
    ToolOutput, Visibility,
};

/// Describes a tool; ends with its implementation.
///
/// ```
/// use toolscout_core::ToolOutput;
/// use toolscout_source::{Param, Registry, ToolBuilder};
///
/// let registry = Registry::new();
/// registry.register(
///     ToolBuilder::new("send_email")?
///         .description("Send an email to a recipient")
///         .keywords(["email", "communication", "smtp"])
///         .param(Param::string("to", "Recipient email").required())
///         .param(Param::string("subject", "Email subject").required())
///         .param(Param::integer("priority", "From 1, urgent, to 5").range(1, 5).default(3))
///         .run(|arguments, _cx| async move { Ok(ToolOutput::text(format!("Email sent to {}", arguments["to"]))) }),
/// )?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "ends with `run`"]
pub struct ToolBuilder {
    tool: Tool,
    params: Vec<Param>,
    schema: Option<Value>,
}

impl ToolBuilder {
    /// Starts a tool of this name. It may become a command, so it must be a valid command name.
    pub fn new(name: &str) -> Result<Self, InvalidName> {
        let id = ToolId::new(SourceId::app(), ToolName::for_command(name)?);
        Ok(Self { tool: Tool::new(id), params: Vec::new(), schema: None })
    }

    /// The display name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.tool.title = Some(title.into());
        self
    }

    /// The description. Runs of whitespace become one space, so that it may be written over several
    /// lines of code.
    pub fn description(mut self, description: impl AsRef<str>) -> Self {
        self.tool.description = Some(param::collapse_whitespace(description.as_ref()));
        self
    }

    /// One more keyword for search.
    pub fn keyword(self, keyword: impl Into<String>) -> Self {
        self.keywords([keyword])
    }

    /// More keywords for search.
    pub fn keywords<T: Into<String>>(mut self, keywords: impl IntoIterator<Item = T>) -> Self {
        self.tool.keywords.extend(keywords.into_iter().map(Into::into));
        self
    }

    /// One more argument; optional unless marked as required. Of two with the same name, the later
    /// one counts. Calls with other arguments, or with an empty string for a required one, never
    /// reach the closure.
    pub fn param(mut self, param: Param) -> Self {
        self.params.push(param);
        self
    }

    /// The whole schema of the arguments, used as it is; replaces single ones.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// The schema of the structured result.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.tool.output_schema = Some(RawJson::from_value(&schema));
        self
    }

    /// Hints for agents, such as `{"readOnlyHint": true}`.
    pub fn annotations(mut self, annotations: Value) -> Self {
        self.tool.annotations = Some(RawJson::from_value(&annotations));
        self
    }

    /// Includes the tool in every list, instead of only in search results.
    pub fn listed(mut self) -> Self {
        self.tool.visibility = Visibility::Listed;
        self
    }

    /// Leaves the tool out of lists, so that agents find it by search, also by these keywords. This
    /// is the default; paularlott/mcp marks such tools explicitly.
    pub fn discoverable<T: Into<String>>(self, keywords: impl IntoIterator<Item = T>) -> Self {
        let mut builder = self.keywords(keywords);
        builder.tool.visibility = Visibility::Searchable;
        builder
    }

    /// How its command line should look.
    pub fn cli(mut self, hints: CliHints) -> Self {
        self.tool.cli = hints;
        self
    }

    /// The implementation. It may be dropped at any `.await`, because that is how calls are
    /// cancelled.
    pub fn run<F, W>(self, run: F) -> CodeTool
    where
        F: Fn(Arguments, Cx) -> W + Send + Sync + 'static,
        W: Future<Output = Result<ToolOutput, RunError>> + Send + 'static,
    {
        let (schema, is_from_params) = match self.schema {
            Some(schema) => (schema, false),
            None => (Value::Object(param::object_schema(self.params)), true),
        };
        let tool = Tool { input_schema: RawJson::from_value(&schema), ..self.tool };
        let tool = CodeTool::new(tool, run);
        if is_from_params { tool.refusing_empty(schema) } else { tool }
    }

    /// Like [`Self::run`], with a custom type for the arguments. Arguments that do not match it
    /// never reach the closure.
    pub fn run_typed<T, F, W>(self, run: F) -> CodeTool
    where
        T: DeserializeOwned,
        F: Fn(T, Cx) -> W + Send + Sync + 'static,
        W: Future<Output = Result<ToolOutput, RunError>> + Send + 'static,
    {
        let name = self.tool.id.name.clone();
        self.run(move |arguments, cx| {
            let typed = serde_json::from_value(Value::Object(arguments));
            let work = typed.map(|typed| run(typed, cx));
            let name = name.clone();
            async move {
                let invalid = |cause| SourceError::Invalid {
                    reason: format!("arguments of `{name}`: {cause}"),
                };
                work.map_err(invalid)?.await
            }
        })
    }
}
