//! 1. A toolscout behind this one is searched with it, and what it finds runs through it, under the rules of both.
//! 2. Whoever does not answer costs nothing but what they would have found.
//! 3. A circle of them ends.

use super::web::Web;
use super::{Agent, library};
use crate::world::World;
use serde_json::{Value, json};

/// A project with one tool of its own, and an entry for what listens there.
fn before(web: &Web, more: &str) -> World {
    World::trusted()
        .echo("tools/greet.tool.toml", "greet", "description = \"Greets somebody\"")
        .file(
            "toolscout.toml",
            &format!("[servers.remote]\nurl = \"http://{}/mcp\"\n{more}\n", web.addr),
        )
}

/// The same, asked for what it has; its entry says that it is to be asked.
fn asked(web: &Web, more: &str) -> World {
    let world = before(web, &format!("delegate = true\n{more}"));
    world.run(&["server", "refresh", "remote"]).exits(0);
    world
}

fn found(agent: &mut Agent, query: &str, most: u64) -> Vec<Value> {
    let answer = agent.call("tool_search", json!({"query": query, "max_results": most}));
    answer["structuredContent"]["results"]
        .as_array()
        .unwrap_or_else(|| panic!("no results: {answer}"))
        .clone()
}

fn ids(found: &[Value]) -> Vec<&str> {
    found.iter().map(|it| it["id"].as_str().unwrap_or("?")).collect()
}

/// F-06: what is behind another toolscout is found here, under its name, by how well it fits, and no more than is wanted;
/// it runs by that name, and what it says passes.
#[test]
fn a_toolscout_behind_this_one_is_searched_and_runs_what_it_finds() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = asked(&web, "");
    for mut agent in [Agent::legacy(&world, &[]), Agent::modern(&world, &[])] {
        let listed = agent.request("tools/list", json!({}))["tools"].to_string();
        assert!(listed.contains("remote (asked when you search)"), "{listed}");
        assert!(!listed.contains("remote__"), "{listed}");
        let hits = found(&mut agent, "send an email", 3);
        assert!((2..=3).contains(&hits.len()), "{hits:?}");
        assert_eq!(found(&mut agent, "send an email", 1).len(), 1, "no more than is wanted");
        assert_eq!(ids(&hits)[0], "remote/local/send_email");
        assert!(
            hits.is_sorted_by(|one, other| one["score"].as_f64() >= other["score"].as_f64()),
            "{hits:?}"
        );
        assert_eq!(hits[0]["inputSchema"]["required"], json!(["to", "subject", "body"]));
        let mail = json!({"to": "a", "subject": "b", "body": "c"});
        let order = json!({"name": "remote/local/send_email", "arguments": mail, "expect": hits[0]["digest"]});
        let sent = agent.call("execute_tool", order);
        assert_eq!(sent["structuredContent"], mail, "{sent}");
        // A form of the name that only models would write, and arguments that only they would.
        let sloppy = json!({"name": "remote__local__send_email", "parameters": mail.to_string()});
        assert_eq!(agent.call("execute_tool", sloppy)["structuredContent"], mail);
        let direct = agent.call("remote__local__send_email", mail.clone());
        assert_eq!(direct["structuredContent"], mail, "{direct}");
        let wrong = agent.call(
            "execute_tool",
            json!({"name": "remote/local/send_email", "arguments": {"to": "a"}}),
        );
        assert!(
            wrong["isError"] == true && wrong.to_string().contains("`subject` is required"),
            "{wrong}"
        );
        let unknown =
            agent.call("execute_tool", json!({"name": "remote/nothing", "arguments": {}}));
        assert!(unknown.to_string().contains("Tool not found: nothing"), "{unknown}");
        assert_eq!(ids(&found(&mut agent, "greet somebody", 1)), ["local/greet"]);
    }
}

/// Help reaches nobody; so of a tool that only the other one knows it says who has to be asked, and how.
#[test]
fn help_for_what_is_behind_it_says_how_to_ask() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = asked(&web, "");
    for words in
        [&["run", "remote/local/send_email", "--help"][..], &["describe", "remote__send_email"]]
    {
        let said = world.run(words).exits(5);
        said.says(&["`remote` has not been searched", "toolscout search", "send_email' --json"]);
    }
    world.run(&["run", "other/send_email", "--help"]).exits(5).says(&["Unknown tool"]);
    let found = world.run(&["search", "send_email", "--json"]).exits(0);
    assert!(found.out.contains("remote/local/send_email"), "{found:?}");
}

/// F-06: the two tools of the other one are no tools here.
#[test]
fn the_two_tools_of_another_toolscout_cannot_be_called() {
    let library = library();
    let web = Web::open(&library, &[]);
    let mut agent = Agent::legacy(&asked(&web, ""), &[]);
    for name in ["remote__tool_search", "remote__execute_tool"] {
        let fault =
            agent.fault("tools/call", json!({"name": name, "arguments": {"name": "send_email"}}));
        assert_eq!(fault["code"], -32602, "{fault}");
        let refused =
            agent.call("execute_tool", json!({"name": name, "arguments": {"name": "send_email"}}));
        assert!(refused.to_string().contains("Tool not found"), "{refused}");
    }
}

/// T20, T24: rules about a tool behind another toolscout hold, whatever it is called.
#[test]
fn rules_about_what_is_behind_it_hold() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = asked(
        &web,
        "[servers.remote.tools]\n\"local/send_email\" = \"deny\"\n\"local/sql_query\" = \"disable\"",
    );
    let mut agent = Agent::legacy(&world, &[]);
    let mail = json!({"to": "a", "subject": "b", "body": "c"});
    for name in [
        "remote/local/send_email",
        "remote__local__send_email",
        "remote/send_email",
        "remote/`send_email`",
    ] {
        let refused = agent.call("execute_tool", json!({"name": name, "arguments": mail}));
        assert!(
            refused["isError"] == true && !refused.to_string().contains("\"subject\""),
            "{name}: {refused}"
        );
        assert!(
            refused.to_string().contains("is denied")
                || refused.to_string().contains("is disabled"),
            "{refused}"
        );
    }
    let hits = found(&mut agent, "execute sql queries", 10);
    assert!(!ids(&hits).contains(&"remote/local/sql_query"), "{hits:?}");
    let pdf = agent.call(
        "execute_tool",
        json!({"name": "remote/local/create_pdf", "arguments": {"target": "x"}}),
    );
    assert_eq!(pdf["structuredContent"], json!({"target": "x"}), "{pdf}");
}

/// Nobody is asked before a person has said so: in the entry, or by approving of the two tools.
#[test]
fn a_person_says_whether_it_is_asked() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = before(&web, "");
    world.run(&["server", "refresh", "remote"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert!(found(&mut agent, "send an email", 10).iter().all(|it| it["source"] == "local"));
    drop(agent);
    world.run(&["review", "--accept", "remote"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(ids(&found(&mut agent, "send an email", 1)), ["remote/local/send_email"]);
    let refused = before(&web, "delegate = false");
    refused.run(&["server", "refresh", "remote"]).exits(0);
    refused.run(&["review", "--accept", "remote"]).exits(0);
    let mut agent = Agent::legacy(&refused, &[]);
    assert!(!ids(&found(&mut agent, "send an email", 10)).contains(&"remote/local/send_email"));
}

/// Its description says what is behind it, and changes with that; which is nothing to hold anything for.
#[test]
fn what_changes_behind_it_is_found_without_a_review() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = asked(&web, "");
    let mut agent = Agent::legacy(&world, &[]);
    assert_eq!(ids(&found(&mut agent, "send an email", 1)), ["remote/local/send_email"]);
    let library = library.echo(
        "tools/zebra.tool.toml",
        "stripe-zebra",
        "description = \"Paints stripes on zebras\"",
    );
    let agent = std::cell::RefCell::new(agent);
    crate::servers::scene::until("the new tool is found", || {
        ids(&found(&mut agent.borrow_mut(), "paint stripes on zebras", 1))
            == ["remote/local/stripe-zebra"]
    });
    world.run(&["server", "refresh", "remote"]).exits(0);
    let review = world.run(&["review"]).exits(0);
    assert!(!review.out.contains("remote/"), "{review:?}");
    drop(library);
}

/// F-07: one that is gone is named, and everything else is found.
#[test]
fn one_that_does_not_answer_costs_only_its_own_hits() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = asked(&web, "");
    drop(web);
    let mut agent = Agent::legacy(&world, &[]);
    let answer = agent.call("tool_search", json!({"query": "greet somebody"}));
    let results = answer["structuredContent"]["results"].as_array().expect("results").clone();
    assert_eq!(ids(&results), ["local/greet"], "{answer}");
    assert!(
        answer["structuredContent"]["notes"][0]
            .as_str()
            .is_some_and(|it| it.starts_with("could not search `remote`")),
        "{answer}"
    );
}

/// who wants to see everything sees what is behind it, too.
#[test]
fn who_wants_to_see_all_sees_what_is_behind_it() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = asked(&web, "");
    let front = Web::open(&world, &[]);
    let mut session = front.session("/mcp", &["X-MCP-Show-All: true"]);
    let listed = session.listed();
    assert!(listed.contains(&"remote__local__send_email".to_owned()), "{listed:?}");
    assert_eq!(listed.len(), 11, "{listed:?}");
    assert!(listed.is_sorted(), "{listed:?}");
    let said = session.call("remote__local__create_pdf", json!({"target": "x"}));
    assert_eq!(said["structuredContent"], json!({"target": "x"}), "{said}");
}

/// A row of two that ask each other ends: each finds what the other has, and nothing twice.
#[test]
fn a_circle_ends() {
    let one = World::trusted().echo(
        "tools/greet.tool.toml",
        "greet",
        "description = \"Greets somebody\"",
    );
    let first = Web::open(&one, &[]);
    let other = asked(&first, "").echo(
        "tools/part.tool.toml",
        "part",
        "description = \"Says goodbye to somebody\"",
    );
    let second = Web::open(&other, &[]);
    // Now the first learns of the second, which asks the first.
    let entry =
        format!("[servers.remote]\nurl = \"http://{}/mcp\"\ndelegate = true\n", second.addr);
    let one = one.file("toolscout.toml", &entry);
    one.run(&["server", "refresh", "remote"]).exits(0);
    let mut agent = Agent::legacy(&one, &[]);
    let hits = found(&mut agent, "says goodbye to somebody", 10);
    assert!(ids(&hits).contains(&"remote/local/part"), "{:?}", ids(&hits));
    assert!(hits.len() < 10, "{:?}", ids(&hits));
}

/// The command line finds and runs what agents do.
#[test]
fn people_search_and_run_what_is_behind_it() {
    let library = library();
    let web = Web::open(&library, &[]);
    let world = asked(&web, "");
    let hits = world.run(&["search", "send an email", "--json"]).exits(0).json();
    assert_eq!(hits[0]["id"], "remote/local/send_email", "{hits}");
    let ran = world
        .run(&["run", "remote/local/send_email", "--to", "a", "--subject", "b", "--body", "c"])
        .exits(0);
    assert!(ran.out.contains("\"subject\""), "{ran:?}");
}
