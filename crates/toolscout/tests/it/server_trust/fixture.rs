//! A server whose list is in a file, and what can be seen of it.

use crate::world::{Outcome, World};
use serde_json::{Value, json};
use std::fs;

/// In any shell. Reads its tools from the file `$1`, writes every call down beside it, and gives `called`.
const STALL: &str = r#"
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
    /// A server of these tools, by name and description, that was asked for them already.
    pub(super) fn stall(self, tools: &[(&str, &str)]) -> Self {
        self.stall_named("s", "", tools)
    }

    /// The same, with more lines in its entry.
    pub(super) fn stall_named(self, id: &str, more: &str, tools: &[(&str, &str)]) -> Self {
        let words = ["sh", "stall.sh", &list(id)].map(str::to_owned);
        let world = self.entry(id, &words, more).file("stall.sh", STALL);
        world.offers_of(id, tools);
        world.run(&["server", "refresh", id]).exits(0);
        world
    }

    /// From now on the server has these tools. Nobody has asked it yet.
    pub(super) fn offers(&self, tools: &[(&str, &str)]) {
        self.offers_of("s", tools);
    }

    /// The server has these tools now, and was asked for them.
    pub(super) fn has(&self, tools: &[(&str, &str)]) -> Outcome {
        self.offers(tools);
        self.run(&["server", "refresh", "s"]).exits(0)
    }

    fn offers_of(&self, id: &str, tools: &[(&str, &str)]) {
        let tool = |(name, about): &(&str, &str)| {
            let text = json!({"type": "string"});
            let schema = json!({"type": "object", "properties": {"text": text, "api_key": text}});
            json!({"name": name, "description": about, "inputSchema": schema})
        };
        let tools: Vec<Value> = tools.iter().map(tool).collect();
        fs::write(self.path(&list(id)), json!(tools).to_string()).expect("write the list");
    }

    /// How many calls the server of a list has executed.
    pub(super) fn executed(&self) -> usize {
        let seen =
            fs::read_to_string(self.path(&format!("{}.seen", list("s")))).unwrap_or_default();
        seen.lines().filter(|it| *it == "call").count()
    }

    /// The names of all tools that are held, as `review --json` has them.
    pub(super) fn held(&self) -> Vec<String> {
        let held = self.run(&["review", "--json"]).exits(0).json();
        held.as_array()
            .expect("a list")
            .iter()
            .map(|it| it["tool"].as_str().expect("a name").to_owned())
            .collect()
    }

    /// The question that a call leaves behind, as its hint names it.
    pub(super) fn question(&self, args: &[&str]) -> String {
        let asked = self.run(args).exits(4).says(&["asks for approval", "within five minutes"]);
        let (_, id) = asked
            .err
            .split_once("`toolscout approve ")
            .unwrap_or_else(|| panic!("no question: {asked:?}"));
        id.split('`').next().unwrap_or_default().to_owned()
    }

    /// Everything that somebody may read who is not reviewing anything.
    pub(super) fn read_out(&self) -> String {
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
        pages.iter().map(|it| self.run(it)).map(|it| it.exits(0).out).collect()
    }
}

fn list(id: &str) -> String {
    format!("{id}.list.json")
}

/// Whether a terminal can be shown this: nothing in it steers or hides.
pub(super) fn is_plain(text: &str) -> bool {
    let is_hidden = |it: char| matches!(it, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{3164}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    !text.contains(|it: char| (it.is_control() && it != '\n') || is_hidden(it))
}
