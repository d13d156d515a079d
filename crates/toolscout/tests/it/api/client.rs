//! An HTTP client for the API that checks every response against the published document.

use crate::serve::{HttpResponse, Web};
use crate::world::World;
use serde_json::{Value, json};
use std::fs;
use std::sync::OnceLock;

/// A running `serve --http` and the tokens that it created.
pub(crate) struct Api {
    pub(crate) web: Web,
    pub(crate) operator: String,
    pub(crate) agent: String,
    document: OnceLock<Value>,
}

impl Api {
    pub(crate) fn start(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    /// Starts the program with more arguments.
    pub(crate) fn start_with(world: &World, args: &[&str]) -> Self {
        let web = Web::start(world, args);
        let token = |file: &str| {
            let token =
                fs::read_to_string(world.temp_dir().join("state").join(file)).expect("a token");
            format!("Authorization: Bearer {}", token.trim())
        };
        Self {
            web,
            operator: token("operator.token"),
            agent: token("agent.token"),
            document: OnceLock::new(),
        }
    }

    /// Sends a request as an operator, and checks the response against the document.
    pub(crate) fn send_request(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> HttpResponse {
        self.request_as(&self.operator, method, path, body)
    }

    pub(crate) fn request_as(
        &self,
        authorization: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> HttpResponse {
        let text = body.map(|body| body.to_string()).unwrap_or_default();
        let answer = self.web.send(method, path, &[authorization], &text);
        self.check(method, path, &answer);
        answer
    }

    /// The response to a successful `GET` of an operator.
    pub(crate) fn get(&self, path: &str) -> Value {
        self.done("GET", path, None)
    }

    pub(crate) fn done(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.send_request(method, path, body);
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        if answer.body.is_empty() { Value::Null } else { answer.message() }
    }

    /// Status and error code of a refused request.
    pub(crate) fn refused(&self, method: &str, path: &str, body: Option<Value>) -> (u16, String) {
        let answer = self.send_request(method, path, body);
        (answer.status, answer.message()["code"].as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn document(&self) -> &Value {
        self.document.get_or_init(|| {
            self.web.send("GET", "/api/openapi.json", &[&self.operator], "").message()
        })
    }

    fn check(&self, method: &str, path: &str, answer: &HttpResponse) {
        let document = self.document();
        let (template, operation) =
            operation(document, method, path).unwrap_or_else(|| panic!("{method} {path}"));
        let expected = &operation["responses"][answer.status.to_string()];
        let expected = if expected.is_null() {
            &document["components"]["responses"]["Error"]
        } else {
            expected
        };
        let kind = answer.header("content-type").unwrap_or_default();
        let Some(content) = expected.get("content") else {
            return assert_eq!(answer.body, "", "{method} {template} has no body");
        };
        let schema = content.get(&kind).unwrap_or_else(|| {
            panic!("{method} {template} must not answer with {kind}: {answer:?}")
        });
        if kind != "application/json" {
            return;
        }
        let schema = json!({"allOf": [schema["schema"]], "components": document["components"]});
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let errors: Vec<_> =
            validator.iter_errors(&answer.message()).map(|error| error.to_string()).collect();
        assert!(
            errors.is_empty(),
            "{method} {path} is not as the document says: {errors:?}\n{answer:?}"
        );
    }
}

/// The operation that a path belongs to, and its path template in the document.
pub(super) fn operation<'a>(
    document: &'a Value,
    method: &str,
    path: &str,
) -> Option<(&'a str, &'a Value)> {
    let path: Vec<&str> = path.split('?').next().unwrap_or_default().split('/').collect();
    let paths = document["paths"].as_object()?;
    let matches = |template: &str| {
        let template: Vec<&str> = template.split('/').collect();
        // The name of a tool may contain slashes.
        let is_long_enough = template.len() == path.len()
            || (template.last() == Some(&"{tool}") && path.len() >= template.len());
        is_long_enough
            && template.iter().zip(&path).all(|(item, part)| item.starts_with('{') || item == part)
    };
    let mut matching: Vec<_> = paths.iter().filter(|(template, _)| matches(template)).collect();
    matching.sort_by_key(|(template, _)| template.matches('{').count());
    let (template, methods) = matching.first()?;
    Some((template, methods.get(method.to_lowercase())?))
}
