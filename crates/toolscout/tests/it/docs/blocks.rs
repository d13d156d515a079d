//! Code blocks of the docs: configuration, tool files, JSON, commands.

use super::{Page, pages, words};
use crate::world::World;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A fenced block.
struct Block {
    /// Page and line of the fence.
    at: String,
    text: String,
}

/// The blocks of a page in this language.
fn blocks(page: &Page, language: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take().filter(|block| !block.at.is_empty())),
            (Some(info), None) => {
                let is_wanted = info.split([' ', ',']).next() == Some(language);
                let at =
                    if is_wanted { format!("{}:{}", page.name, index + 1) } else { String::new() };
                open = Some(Block { at, text: String::new() });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

fn all_blocks(language: &str) -> Vec<Block> {
    let blocks: Vec<Block> = pages().iter().flat_map(|page| blocks(page, language)).collect();
    assert!(!blocks.is_empty(), "no page has a block in {language}");
    blocks
}

#[test]
fn blocks_of_json_are_json() {
    for block in all_blocks("json") {
        let parsed = serde_json::from_str::<Value>(&block.text);
        assert!(parsed.is_ok(), "{}: {parsed:?}", block.at);
    }
}

/// A block may be for either file: some settings are for the user's own configuration only.
#[test]
fn blocks_of_toml_are_accepted_as_configuration_or_tool_file() {
    for Block { at, text } in all_blocks("toml") {
        let has = |header: &str| text.lines().any(|line| line == header);
        if has("[dependencies]") {
            continue;
        }
        if ["[run]", "[http]", "[[parameters]]", "[[tool]]"].into_iter().any(has) {
            let world = World::project().file("tools/block.tool.toml", &text);
            assert_eq!(problems(&world), [""; 0], "{at}: as a tool file");
            continue;
        }
        let project = problems(&World::project().file("toolscout.toml", &text));
        if project.is_empty() {
            continue;
        }
        let world = World::project().file("../config/config.toml", &text);
        assert_eq!(
            problems(&world),
            [""; 0],
            "{at}: as config.toml; as toolscout.toml: {project:?}"
        );
    }
}

/// The problems that `doctor` reports for files. A configuration that cannot be read ends it.
fn problems(world: &World) -> Vec<String> {
    let outcome = world.run(&["doctor", "--json"]);
    if outcome.out.is_empty() {
        return vec![outcome.err];
    }
    let diagnosis = outcome.json();
    let problems = diagnosis["diagnostics"].as_array().expect("a list of diagnostics");
    let of_files = problems.iter().filter(|problem| problem["path"].is_string());
    of_files.map(|problem| problem["message"].to_string()).collect()
}

/// `docs/reference/commands.md` is generated from the program, so it lists all there are.
#[test]
fn commands_and_options_in_the_docs_exist() {
    let pages = pages();
    let reference = Reference::of(&pages);
    let mut checked = 0;
    for page in &pages {
        for block in blocks(page, "sh") {
            for line in block.text.lines().filter_map(|line| line.strip_prefix("toolscout ")) {
                let unknown = reference.unknown_options(line);
                assert_eq!(unknown, [""; 0], "{}: toolscout {line}", block.at);
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "only {checked} commands found");
}

/// Options by command; those of the empty name are global.
struct Reference(BTreeMap<String, BTreeSet<String>>);

impl Reference {
    fn of(pages: &[Page]) -> Self {
        let page = pages.iter().find(|page| page.name == "docs/reference/commands.md");
        let mut options: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut current = vec![String::new()];
        for line in page.expect("the reference of commands").text.lines() {
            let code: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
            if line.starts_with("### ") {
                current = code.iter().map(|name| (*name).to_owned()).collect();
            } else if line.starts_with("| `-") {
                let left = line.split(" | ").next().unwrap_or_default();
                let names = left.split('`').skip(1).step_by(2);
                for name in names.filter_map(|name| name.split(' ').next()) {
                    for command in &current {
                        options.entry(command.clone()).or_default().insert(name.to_owned());
                    }
                }
            } else if let (true, Some(usage)) = (line.starts_with("| `"), code.first()) {
                let is_name = |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase());
                let name: Vec<&str> = usage.split(' ').take_while(is_name).collect();
                options.entry(name.join(" ")).or_default();
            }
        }
        Self(options)
    }

    /// The options of a command line that its command does not have. Tools have options of their
    /// own.
    fn unknown_options(&self, line: &str) -> Vec<String> {
        let line = line.split(" #").next().unwrap_or(line);
        let line = line.split(['|', '>', '<', ';', '&']).next().unwrap_or(line);
        let words = if line.contains('…') { plain_words(line) } else { words(line) };
        let own: Vec<&String> = words.iter().take_while(|word| *word != "--").collect();
        let first = own.iter().position(|word| self.0.contains_key(word.as_str()));
        let Some(first) = first else { return Vec::new() };
        let two = own.get(first + 1).map(|second| format!("{} {second}", own[first]));
        let name = two.filter(|two| self.0.contains_key(two)).unwrap_or_else(|| own[first].clone());
        if name == "run" {
            return Vec::new();
        }
        let is_known = |option: &str| {
            let has = |command: &str| self.0.get(command).is_some_and(|all| all.contains(option));
            has(&name) || has("")
        };
        let options = own.iter().filter(|word| word.starts_with('-') && word.len() > 1);
        let names = options.map(|word| word.split('=').next().unwrap_or(word).to_owned());
        names.filter(|option| !is_known(option)).collect()
    }
}

fn plain_words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn an_unknown_option_is_found() {
    let reference = Reference::of(&pages());
    assert_eq!(reference.unknown_options("server add x --wait --jsn -- npx --any"), ["--jsn"]);
    assert_eq!(reference.unknown_options("-C demo word-count --text x"), [""; 0]);
}

#[test]
fn a_block_with_an_unknown_key_is_found() {
    let config = |text: &str| problems(&World::project().file("toolscout.toml", text)).is_empty();
    assert!(config("[servers.a]\ncommand = \"npx\"\n"));
    assert!(!config("[servers.a]\ncomand = \"npx\"\n"));
    assert!(!config("[search]\nmodle = \"x\"\n"));
    let tool = |text: &str| problems(&World::project().file("tools/a.tool.toml", text)).is_empty();
    assert!(tool("name = \"a\"\n[run]\ncommand = [\"cat\"]\n"));
    assert!(!tool("name = \"a\"\n[run]\ncomand = [\"cat\"]\n"));
}
