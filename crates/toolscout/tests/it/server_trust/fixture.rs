//! A server that reads its tool list from a file, and helpers that inspect it.

use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::fs;

/// A POSIX shell script. It reads its tools from the file `$1`, logs every call next to it, and
/// returns `called`.
const LIST_SERVER: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"stall","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) echo list >> "$1.seen"; printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":' "$id"; cat "$1"; printf '}}\n' ;;
  *'"tools/call"'*) echo call >> "$1.seen"; printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"called"}]}}\n' "$id" ;;
  esac
done"#;

impl World {
    /// A discovered server with these tools, by name and description.
    pub(super) fn list_server(self, tools: &[(&str, &str)]) -> Self {
        self.list_server_named("s", "", tools)
    }

    /// The same, with an id and more lines in its entry.
    pub(crate) fn list_server_named(self, id: &str, more: &str, tools: &[(&str, &str)]) -> Self {
        let words = ["sh", "stall.sh", &list(id)].map(str::to_owned);
        let world = self.entry(id, &words, more).file("stall.sh", LIST_SERVER);
        world.set_tools_of(id, tools);
        world.run(&["server", "refresh", id]).exits(0);
        world
    }

    /// Changes the tool list of the server, without a refresh.
    pub(super) fn set_tools(&self, tools: &[(&str, &str)]) {
        self.set_tools_of("s", tools);
    }

    /// Changes the tool list of the server and refreshes it.
    pub(crate) fn refresh_with(&self, tools: &[(&str, &str)]) -> Outcome {
        self.set_tools(tools);
        self.run(&["server", "refresh", "s"]).exits(0)
    }

    fn set_tools_of(&self, id: &str, tools: &[(&str, &str)]) {
        let tool = |(name, about): &(&str, &str)| {
            let text = json!({"type": "string"});
            let schema = json!({"type": "object", "properties": {"text": text, "api_key": text}});
            json!({"name": name, "description": about, "inputSchema": schema})
        };
        let tools: Vec<Value> = tools.iter().map(tool).collect();
        fs::write(self.path(&list(id)), json!(tools).to_string()).expect("write the list");
    }

    /// The number of calls that the server has executed.
    pub(crate) fn executed(&self) -> usize {
        let log = fs::read_to_string(self.path(&format!("{}.seen", list("s")))).unwrap_or_default();
        log.lines().filter(|line| *line == "call").count()
    }

    /// The names of all quarantined tools in `review --json`.
    pub(crate) fn quarantined(&self) -> Vec<String> {
        let quarantined = self.run(&["review", "--json"]).exits(0).json();
        quarantined
            .as_array()
            .expect("a list")
            .iter()
            .map(|item| item["tool"].as_str().expect("a name").to_owned())
            .collect()
    }

    /// The id of the pending approval of a call, from its hint.
    pub(crate) fn pending_approval(&self, args: &[&str]) -> String {
        let pending =
            self.run(args).exits(4).stderr_contains(&["needs approval", "within five minutes"]);
        let (_, id) = pending
            .err
            .split_once("`toolscout approve ")
            .unwrap_or_else(|| panic!("no pending approval: {pending:?}"));
        id.split('`').next().unwrap_or_default().to_owned()
    }

    /// The output of the commands that show tools, except `review`.
    pub(super) fn public_output(&self) -> String {
        let pages: [&[&str]; 9] = [
            &[],
            &["tools"],
            &["tools", "list"],
            &["tools", "--json"],
            &["tools", "--stream"],
            &["search", "--json", "--limit", "100", "tool"],
            &["export", "openai"],
            &["server", "show", "s", "--json"],
            &["__complete", "--", "run", ""],
        ];
        pages.iter().map(|page| self.run(page)).map(|item| item.exits(0).out).collect()
    }
}

fn list(id: &str) -> String {
    format!("{id}.list.json")
}

/// Whether a text is safe for a terminal: without control or invisible characters.
pub(super) fn is_plain(text: &str) -> bool {
    let is_hidden = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{3164}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    !text.contains(|c: char| (c.is_control() && c != '\n') || is_hidden(c))
}
