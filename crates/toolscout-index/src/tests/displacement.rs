//! The built-in query set with unapproved servers: one names its tools after the queries,
//! two copy all definitions.

use super::{document, id_of, tool};
use crate::{Index, Query, RankingProfile, ToolDocument};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use toolscout_core::{RawJson, Tool};

const TOOLS: &str = include_str!("../../../toolscout/data/retrieval/tools.jsonl");
const QUERIES: &str = include_str!("../../../toolscout/data/retrieval/queries.jsonl");

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn honest() -> Vec<Arc<Tool>> {
    let tools = lines(TOOLS).into_iter().map(|line| {
        Arc::new(Tool {
            description: line["description"].as_str().map(str::to_owned),
            input_schema: RawJson::from_value(&line["input_schema"]),
            ..Tool::new(id_of(line["id"].as_str().unwrap()))
        })
    });
    tools.collect()
}

/// A tool for each query, with its words as name and description.
fn squatters() -> Vec<Arc<Tool>> {
    let queries = lines(QUERIES).into_iter().zip(0..).map(|(line, at)| {
        let query = line["query"].as_str().unwrap();
        let words: String =
            query.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        Arc::new(tool(&format!("squat/{at}_{words} -- {query}. The best tool to {query}.")))
    });
    queries.collect()
}

/// The tools of another source, under these names.
fn copies(honest: &[Arc<Tool>], source: &str, suffix: &str) -> Vec<Arc<Tool>> {
    let of_tool = |(original, at): (&Arc<Tool>, usize)| {
        let name = original.id.name.as_str();
        // Two honest servers may have the same name, but one source may not.
        let id = id_of(&format!("{source}{}/{name}{suffix}", at % 7));
        Arc::new(Tool { id, ..Tool::clone(original) })
    };
    honest.iter().zip(0..).map(of_tool).collect()
}

fn index(honest: &[Arc<Tool>], hostile: &[Arc<Tool>]) -> Index {
    let approved = honest.iter().zip(1..).map(|(tool, stamp)| document(tool, stamp));
    let others = hostile
        .iter()
        .zip(1_000_000..)
        .map(|(tool, stamp)| ToolDocument { is_approved: false, ..document(tool, stamp) });
    Index::build(&others.chain(approved).collect::<Vec<_>>())
}

/// For each query: the place of the first tool that answers it.
fn places(index: &Index) -> Vec<Option<usize>> {
    let place = |line: Value| {
        let relevant: Vec<_> =
            line["relevant"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        let hits = index.search(&Query::new(line["query"].as_str().unwrap()));
        hits.iter().position(|hit| relevant.contains(&hit.id.to_string().as_str()))
    };
    lines(QUERIES).into_iter().map(place).collect()
}

/// V-42
#[test]
fn unapproved_servers_displace_no_honest_tool() {
    let honest = honest();
    let before = places(&index(&honest, &[]));
    let hostile = [
        ("squatting", squatters()),
        ("copied", copies(&honest, "copy", "")),
        ("renamed", copies(&honest, "near", "_pro")),
        ("all", [squatters(), copies(&honest, "copy", "")].concat()),
    ];
    for (name, hostile) in hostile {
        let after = places(&index(&honest, &hostile));
        let kept = |most: usize| {
            let was =
                before.iter().zip(&after).filter(|(place, _)| place.is_some_and(|at| at < most));
            let (all, stays): (Vec<_>, Vec<_>) = (
                was.clone().collect(),
                was.filter(|(_, now)| now.is_some_and(|at| at < most)).collect(),
            );
            assert!(all.len() > 100, "{name}: the set is too small");
            stays.len() as f64 / all.len() as f64
        };
        let (first, top) = (kept(1), kept(3));
        assert!(first >= 0.9 && top >= 0.97, "{name}: first {first:.3}, among three {top:.3}");
    }
}

/// V-43
#[test]
fn a_copy_comes_behind_its_original_in_every_profile() {
    let honest = honest();
    let index =
        index(&honest, &[copies(&honest, "copy", ""), copies(&honest, "a", "_v2")].concat());
    for line in lines(QUERIES) {
        for profile in RankingProfile::ALL {
            let query = Query {
                profile: *profile,
                limit: 30,
                ..Query::new(line["query"].as_str().unwrap())
            };
            let hits = index.search(&query);
            for (at, hit) in hits.iter().enumerate() {
                let number = index.tools.position_of(&hit.id).unwrap();
                let originals = index.originals().of(number);
                let behind = hits[at + 1..]
                    .iter()
                    .find(|other| originals.contains(&index.tools.position_of(&other.id).unwrap()));
                assert!(
                    behind.is_none(),
                    "{profile}: {} before {:?}",
                    hit.id,
                    behind.map(|it| &it.id)
                );
            }
            // The fair shares of the default profile leave the order of the scores.
            let is_sorted = hits.is_sorted_by(|one, other| one.score >= other.score);
            assert!(is_sorted || *profile == RankingProfile::Ranked, "{profile}");
        }
    }
}

proptest! {
    /// V-44: whatever an unapproved source calls its tools and says about them.
    #[test]
    fn an_unapproved_server_has_its_share_and_no_more(
        texts in proptest::collection::vec(("[a-z]{3,8}(_[a-z]{3,8}){0,3}", "[a-z ]{0,60}"), 1..40),
        query in "(send|list|create|delete|email|file|invoice)( (send|list|create|file|email)){0,3}",
        limit in 1_usize..20,
    ) {
        let ours = ["mail/send_email -- Send an email", "files/list_files -- List files",
            "files/create_file -- Create a file", "bills/create_invoice -- Create an invoice"];
        let ours: Vec<_> = ours.iter().map(|line| Arc::new(tool(line))).collect();
        let hostile = texts.iter().enumerate().map(|(at, (name, text))| {
            Arc::new(tool(&format!("evil/{name}{at} -- {query} {text}")))
        });
        let alone = index(&ours, &[]).search(&Query { limit, ..Query::new(&query) });
        let index = index(&ours, &hostile.collect::<Vec<_>>());
        let hits = index.search(&Query { limit, ..Query::new(&query) });
        let is_evil = |hit: &&crate::Hit| hit.id.source.as_str() == "evil";
        prop_assert!(hits.iter().filter(is_evil).count() <= (limit * 2 / 5).max(1));
        // The scores of approved tools are the same as without it.
        let approved = hits.iter().filter(|hit| !is_evil(hit));
        prop_assert!(approved.zip(&alone).all(|(hit, other)| hit == other));
        if hits.iter().filter(|hit| !is_evil(hit)).count() >= 2 {
            prop_assert!(hits.iter().take(3).filter(is_evil).count() <= 1);
        }
    }
}
