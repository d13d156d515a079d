//! Examples of operations: command lines and HTTP requests, taken apart.

use crate::world::World;
use serde_json::{Map, Value};
use std::fs;
use std::sync::Arc;
use toolscout::surface::cli::{self, Locale};
use toolscout::surface::operation::{
    BoundOperation, CommandName, OperationCommand, request_target,
};

/// An example that an operation names.
pub(super) struct Example {
    pub(super) operation: Arc<BoundOperation>,
    /// As it is written.
    pub(super) line: &'static str,
}

/// A request: method, path with query, and body.
pub(super) type Request = (&'static str, String, String);

/// The examples of an operation.
pub(super) fn of(operation: BoundOperation) -> Vec<Example> {
    let operation = Arc::new(operation);
    let example = |line: &&'static str| Example { operation: operation.clone(), line };
    operation.spec.examples.iter().map(example).collect()
}

impl Example {
    /// Whether it is a command line, and no HTTP request.
    pub(super) fn is_command(&self) -> bool {
        self.line.starts_with("toolscout ")
    }

    /// Whether it is of this command, and not of one with a longer name.
    pub(super) fn is_of(&self, command: &CommandName) -> bool {
        self.command().is_some_and(|own| own.name == command.name)
    }

    fn command(&self) -> Option<CommandName> {
        let line = self.line.strip_prefix("toolscout ")?;
        let is_own = |name: &str| line == name || line.starts_with(&format!("{name} "));
        let commands = OperationCommand::all(&self.operation)
            .into_iter()
            .filter(|command| is_own(command.name));
        commands.max_by_key(|command| command.name.len())
    }

    /// The words after the name of the command, without options of the program itself.
    fn words(&self, command: &CommandName) -> Vec<String> {
        let line = self.line.split(" > ").next().unwrap_or_default();
        let line = line
            .strip_prefix("toolscout ")
            .and_then(|line| line.strip_prefix(command.name))
            .unwrap_or_default();
        // Every second part is inside of quotes.
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.filter(|word| word != "--json").collect()
    }

    /// The same as a request; none if the operation has no route.
    pub(super) fn request(&self, world: &World, id: &str) -> Option<Request> {
        let route = &self.operation.spec.route;
        if route.path.is_empty() {
            return None;
        }
        let Some(command) = self.command() else {
            let mut parts = self.line.splitn(3, ' ');
            assert_eq!(parts.next(), Some(route.method), "{}", self.line);
            let path = parts.next().expect("a path").replace("{id}", id);
            return Some((route.method, path, parts.next().unwrap_or_default().to_owned()));
        };
        let words = self.words(&command);
        let command = OperationCommand::new(self.operation.clone(), command, Locale::English);
        let parsed = cli::parse(&command.spec(), &words)
            .unwrap_or_else(|errors| panic!("{}: {errors}", self.line));
        let mut input: Map<String, Value> =
            command.input(&parsed, |_| Err("no file".to_owned())).expect("an input");
        for name in command.files() {
            if let Some(Value::String(file)) = input.get_mut(name) {
                *file = fs::read_to_string(world.path(file)).expect("a file");
            }
        }
        let (path, body) = request_target(route, input);
        Some((
            route.method,
            path,
            body.map(|bytes| String::from_utf8(bytes).expect("JSON")).unwrap_or_default(),
        ))
    }
}
