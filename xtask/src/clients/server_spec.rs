//! A server in the configuration file of an agent.

use serde_json::{Map, Value};

pub(super) struct ServerSpec {
    pub(super) name: &'static str,
    pub(super) command: Vec<String>,
    pub(super) env: &'static [(&'static str, &'static str)],
}

impl ServerSpec {
    /// The variables as a JSON object.
    pub(super) fn env(&self) -> Map<String, Value> {
        self.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect()
    }
}
