//! One meeting: the commands that are run, in order, and all that was seen.

use super::watched::Watched;
use super::world::World;
use super::{Programs, survivors};
use serde_json::Value;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

pub(crate) struct Meeting {
    pub(crate) mode: String,
    pub(crate) transport: Transport,
    /// `server refresh`.
    pub(crate) refresh: Watched,
    /// `server list --json`.
    pub(crate) servers: Watched,
    /// `tools --json`.
    pub(crate) tools: Watched,
    /// `run honest/echo`.
    pub(crate) honest: Watched,
    /// `run hostile/echo`, or another of its tools where it has no `echo`.
    pub(crate) hostile: Watched,
    /// How often the hostile server was started, and asked for its tools.
    pub(crate) starts: usize,
    pub(crate) lists: usize,
    pub(crate) survivors: usize,
    pub(crate) canary_hits: usize,
}

impl Meeting {
    pub(crate) fn hold(programs: &Programs, mode: &str, transport: Transport) -> anyhow::Result<Self> {
        let mut world = World::new(programs, mode, transport)?;
        let mut refresh = world.run(&["server", "refresh"])?;
        if mode == "cache_tamper" {
            // What was damaged may be forgotten, but must be learnt again. The hostile server would only damage it again.
            refresh = world.run(&["server", "refresh", "honest"])?;
        }
        let servers = world.run(&["server", "list", "--json"])?;
        let tools = world.run(&["tools", "--json"])?;
        let honest = world.run(&["run", "honest/echo", "--text", "hi"])?;
        let hostile = world.run(&["run", "hostile/echo", "--text", "hi"])?;
        world.end();
        Ok(Self {
            mode: mode.to_owned(),
            transport,
            refresh,
            servers,
            tools,
            honest,
            hostile,
            starts: world.count("start", None),
            lists: world.count("recv", Some("tools/list")),
            survivors: survivors::count(&world.mark),
            canary_hits: world.canary_hits(),
        })
    }

    /// Every command, under the name people type.
    pub(crate) fn commands(&self) -> [(&'static str, &Watched); 5] {
        [
            ("server refresh", &self.refresh),
            ("server list", &self.servers),
            ("tools", &self.tools),
            ("run honest/echo", &self.honest),
            ("run hostile/echo", &self.hostile),
        ]
    }

    /// The most memory that any of them had.
    pub(crate) fn peak(&self) -> u64 {
        self.commands().iter().map(|(_, it)| it.peak).max().unwrap_or(0)
    }

    /// The names of the tools that this server is seen to have.
    pub(crate) fn tools_of(&self, source: &str) -> Vec<String> {
        let tools: Vec<Value> = serde_json::from_slice(&self.tools.out).unwrap_or_default();
        let its = tools.iter().filter(|it| it["source"] == source);
        its.filter_map(|it| it["name"].as_str().map(str::to_owned)).collect()
    }

    /// A field of what `server list` says about the hostile server.
    pub(crate) fn said_of_hostile(&self, field: &str) -> Value {
        let servers: Vec<Value> = serde_json::from_slice(&self.servers.out).unwrap_or_default();
        servers.iter().find(|it| it["id"] == "hostile").map_or(Value::Null, |it| it[field].clone())
    }

    /// What is worth knowing about a meeting that went well.
    pub(crate) fn remark(&self) -> String {
        let word = |field| self.said_of_hostile(field).as_str().unwrap_or_default().to_owned();
        let tools = self.tools_of("hostile").len();
        let (status, error) = (word("status"), word("error"));
        let call = self.hostile.code().map_or("killed".to_owned(), |it| it.to_string());
        format!("{status}, {tools} tools, {} starts, {} lists, call {call}; {error}", self.starts, self.lists)
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        })
    }
}
