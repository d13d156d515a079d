//! Asks the API of a running program, and holds every answer against the document that it gives out.

use crate::serve::{Answer, Web};
use crate::world::World;
use serde_json::{Value, json};
use std::fs;
use std::sync::OnceLock;

/// `serve --http`, and the tokens that it has made.
pub(crate) struct Api {
    pub(crate) web: Web,
    pub(crate) operator: String,
    pub(crate) agent: String,
    document: OnceLock<Value>,
}

impl Api {
    pub(crate) fn start(world: &World) -> Self {
        let web = Web::start(world, &[]);
        let token = |file: &str| {
            let token =
                fs::read_to_string(world.outside().join("state").join(file)).expect("a token");
            format!("Authorization: Bearer {}", token.trim())
        };
        Self {
            web,
            operator: token("operator.token"),
            agent: token("agent.token"),
            document: OnceLock::new(),
        }
    }

    /// Asks as an operator; the answer must be as the document says.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.ask_as(&self.operator, method, path, body)
    }

    pub(crate) fn ask_as(
        &self,
        who: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        let text = body.map(|it| it.to_string()).unwrap_or_default();
        let answer = self.web.send(method, path, &[who], &text);
        self.check(method, path, &answer);
        answer
    }

    /// What an operator is given, and that it is.
    pub(crate) fn get(&self, path: &str) -> Value {
        self.done("GET", path, None)
    }

    pub(crate) fn done(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.ask(method, path, body);
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        if answer.body.is_empty() { Value::Null } else { answer.message() }
    }

    /// Status and code of a refusal.
    pub(crate) fn refused(&self, method: &str, path: &str, body: Option<Value>) -> (u16, String) {
        let answer = self.ask(method, path, body);
        (answer.status, answer.message()["code"].as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn document(&self) -> &Value {
        self.document.get_or_init(|| {
            self.web.send("GET", "/api/openapi.json", &[&self.operator], "").message()
        })
    }

    fn check(&self, method: &str, path: &str, answer: &Answer) {
        let document = self.document();
        let (place, operation) =
            operation(document, method, path).unwrap_or_else(|| panic!("{method} {path}"));
        let said = &operation["responses"][answer.status.to_string()];
        let said =
            if said.is_null() { &document["components"]["responses"]["Error"] } else { said };
        let kind = answer.header("content-type").unwrap_or_default();
        let Some(content) = said.get("content") else {
            return assert_eq!(answer.body, "", "{method} {place} says nothing");
        };
        let schema = content
            .get(&kind)
            .unwrap_or_else(|| panic!("{method} {place} is no {kind}: {answer:?}"));
        if kind != "application/json" {
            return;
        }
        let whole = json!({"allOf": [schema["schema"]], "components": document["components"]});
        let validator = jsonschema::validator_for(&whole).expect("a schema");
        let wrong: Vec<_> =
            validator.iter_errors(&answer.message()).map(|it| it.to_string()).collect();
        assert!(
            wrong.is_empty(),
            "{method} {path} is not as the document says: {wrong:?}\n{answer:?}"
        );
    }
}

/// The operation that a path is of, and the path as the document writes it.
pub(super) fn operation<'a>(
    document: &'a Value,
    method: &str,
    path: &str,
) -> Option<(&'a str, &'a Value)> {
    let path: Vec<&str> = path.split('?').next().unwrap_or_default().split('/').collect();
    let paths = document["paths"].as_object()?;
    let fits = |place: &str| {
        let place: Vec<&str> = place.split('/').collect();
        // A tool's name may have slashes.
        let is_long_enough = place.len() == path.len()
            || (place.last() == Some(&"{tool}") && path.len() >= place.len());
        is_long_enough
            && place.iter().zip(&path).all(|(it, part)| it.starts_with('{') || it == part)
    };
    let mut fitting: Vec<_> = paths.iter().filter(|(place, _)| fits(place)).collect();
    fitting.sort_by_key(|(place, _)| place.matches('{').count());
    let (place, methods) = fitting.first()?;
    Some((place, methods.get(method.to_lowercase())?))
}
