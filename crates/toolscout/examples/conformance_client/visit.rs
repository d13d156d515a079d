//! One connection to a server of the suite: connects, lists everything, calls the tools, and logs
//! in if the server requires it.

use crate::browser;
use crate::person::{self, Person};
use serde_json::{Map, Value, json};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolscout::core::{Caller, Cx, RawJson, Resume, SourceId, ToolCall, ToolId};
use toolscout::mcp_client::client::{McpClient, ToolDefinition};
use toolscout::mcp_client::oauth::{Login, LoginRequest, SavedTokens};
use toolscout::mcp_client::{
    ClientError, ConfigText, ConnectContext, HttpEndpoint, ServerConfig, ServerTransport,
};

/// The URL of the client metadata document that the suite expects.
const DESCRIBED_AT: &str = "https://conformance-test.local/client-metadata.json";
const TIME: Duration = Duration::from_secs(20);
/// Maximum number of logins to one server.
const LOGINS: usize = 3;
/// Maximum number of times that a tool may request more input.
const ROUNDS: usize = 4;

pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) url: String,
    /// The context that the suite passes for the scenario.
    pub(crate) context: Value,
}

pub(crate) struct Visit {
    scenario: Scenario,
    server: ServerConfig,
    endpoint: HttpEndpoint,
    dial: ConnectContext,
    cx: Cx,
    folder: PathBuf,
    deadline: Instant,
}

impl Visit {
    pub(crate) async fn run(scenario: Scenario) -> Result<(), ClientError> {
        let folder =
            tempfile::tempdir().map_err(|err| ClientError::Lost { what: err.to_string() })?;
        let visit = Self::prepare(scenario, folder.path().to_owned())?;
        let client = visit
            .logged_in(|| McpClient::connect(&visit.server, &visit.dial, visit.deadline))
            .await?;
        let listing = visit.logged_in(|| client.list_tools(visit.deadline)).await?;
        visit.call_all(&client, &listing.tools).await?;
        if visit.scenario.name == "http-standard-headers" {
            visit.read_all(&client).await?;
        }
        if visit.scenario.name == "auth/authorization-server-migration" {
            // The suite moves the server to another issuer after the first calls.
            visit.logged_in(|| client.list_tools(visit.deadline)).await?;
        }
        client.close().await;
        Ok(())
    }

    fn prepare(scenario: Scenario, folder: PathBuf) -> Result<Self, ClientError> {
        let id = SourceId::new("suite")
            .map_err(|err| ClientError::Invalid { reason: err.to_string() })?;
        let word = |name: &str| scenario.context[name].as_str().map(ConfigText::from);
        let described =
            (scenario.name == "auth/basic-cimd").then(|| ConfigText::from(DESCRIBED_AT));
        let endpoint = HttpEndpoint {
            url: ConfigText::from(scenario.url.as_str()),
            client_id: word("client_id").or(described),
            client_secret: word("client_secret"),
            ..HttpEndpoint::default()
        };
        let tokens = SavedTokens::open(&folder, &id, &scenario.url)?;
        let dial = ConnectContext {
            tokens: Some(Arc::new(tokens)),
            has_counterparts: true,
            ..ConnectContext::new(folder.clone())
        };
        let cx = Cx { reverse_channel: Some(Arc::new(Person)), ..Cx::new(Caller::Mcp) };
        let server = ServerConfig::new(id, ServerTransport::Http(endpoint.clone()));
        Ok(Self { scenario, server, endpoint, dial, cx, folder, deadline: Instant::now() + TIME })
    }

    /// Performs the action, and logs in and repeats it whenever the server requires a login.
    async fn logged_in<T, F>(&self, act: impl Fn() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        for _ in 0..LOGINS {
            match act().await {
                Err(ClientError::Login { challenge, .. }) => {
                    self.log_in(challenge.as_deref()).await?
                }
                other => return other,
            }
        }
        act().await
    }

    async fn log_in(&self, challenge: Option<&str>) -> Result<(), ClientError> {
        let request = LoginRequest {
            id: &self.server.id,
            url: &self.scenario.url,
            challenge,
            endpoint: &self.endpoint,
            lookup: &self.dial.lookup,
            folder: &self.folder,
            port: None,
        };
        let login = Login::start(&request).await?;
        let back = browser::follow(login.browser_url()).await;
        let back = back.map_err(|err| ClientError::Lost { what: format!("the browser: {err}") })?;
        login.finish_with(&back).await
    }

    /// Calls the tools that the suite names, or every tool if it names none.
    async fn call_all(
        &self,
        client: &McpClient,
        tools: &[ToolDefinition],
    ) -> Result<(), ClientError> {
        let wanted = self.scenario.context["toolCalls"].as_array();
        for tool in tools {
            let arguments = match (wanted, tool.name.as_str()) {
                (Some(wanted), name) => match wanted.iter().find(|item| item["name"] == name) {
                    Some(call) => call["arguments"].clone(),
                    None => continue,
                },
                (None, "json_schema_2020_12_tool") => continue,
                (None, "json_schema_echo") => {
                    json!({ "schema": schema(tools, "json_schema_2020_12_tool") })
                }
                (None, _) => plain(&definition(tool)["inputSchema"]),
            };
            self.call(client, tool, arguments).await?;
        }
        Ok(())
    }

    async fn call(
        &self,
        client: &McpClient,
        tool: &ToolDefinition,
        arguments: Value,
    ) -> Result<(), ClientError> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let mut call =
            ToolCall::new(ToolId::new(self.server.id.clone(), tool.name.clone()), arguments);
        let schema = RawJson::from_value(&definition(tool)["inputSchema"]);
        for _ in 0..ROUNDS {
            let ask = || client.call_tool(&call, Some(&schema), &self.cx, self.deadline);
            let result = self.logged_in(ask).await?.to_value();
            if result["resultType"] != "input_required" {
                return Ok(());
            }
            call.resume = Some(resume(&result));
        }
        Ok(())
    }

    /// Reads the first resource and the first prompt.
    async fn read_all(&self, client: &McpClient) -> Result<(), ClientError> {
        for (list, key, act, name) in [
            ("resources/list", "resources", "resources/read", "uri"),
            ("prompts/list", "prompts", "prompts/get", "name"),
        ] {
            let found = client
                .request(list, &RawJson::from_value(&Value::Null), &self.cx, self.deadline)
                .await?;
            let params = json!({ name: found.to_value()[key][0][name] });
            client.request(act, &RawJson::from_value(&params), &self.cx, self.deadline).await?;
        }
        Ok(())
    }
}

/// The answers to all inputs that a tool requested.
fn resume(result: &Value) -> Resume {
    let wanted = result["inputRequests"].as_object().cloned().unwrap_or_default();
    let answered = |(key, value): (String, Value)| {
        let answer = person::answer(value["method"].as_str().unwrap_or_default(), &value["params"]);
        (key, answer.unwrap_or_default())
    };
    let responses: Map<String, Value> = wanted.into_iter().map(answered).collect();
    let state = result["requestState"].as_str().map(str::to_owned);
    Resume { responses: Some(RawJson::from_value(&responses.into())), state }
}

fn definition(tool: &ToolDefinition) -> Value {
    tool.raw.to_value()
}

fn schema(tools: &[ToolDefinition], name: &str) -> Value {
    let tool = tools.iter().find(|tool| tool.name.as_str() == name);
    tool.map(|tool| definition(tool)["inputSchema"].clone()).unwrap_or_default()
}

/// Arguments that match a schema, if the schema is simple.
fn plain(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let value = |value: &Value| match value["type"].as_str() {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        _ => json!("text"),
    };
    properties
        .iter()
        .map(|(name, property)| (name.clone(), value(property)))
        .collect::<Map<_, _>>()
        .into()
}
