//! The profile for people: words, meaning and what was learned, in one order, with reasons.

use crate::asked::{Asked, Questions};
use crate::fair::{self, Fit};
use crate::fusion::Fits;
use crate::profile::Rules;
use crate::question::Question;
use crate::reasons::Reasons;
use crate::scores::Scores;
use crate::{Hit, Index, Query, ladder2};
use std::cmp::Ordering;

pub(crate) struct Ranked;

/// What a tool of a source that nobody approved loses: among hits that are nearly alike, trust decides.
const UNAPPROVED: f64 = 0.97;
/// A tool that says so much of what was asked is a hit, as it would be without meaning.
const SAID: f32 = 0.2;

impl Rules for Ranked {
    fn word(&self) -> &'static str {
        "ranked"
    }

    fn search(&self, index: &Index, query: &Query<'_>, question: &Question) -> Vec<Hit> {
        let english = index.in_english(query.text);
        let asked = index.questions().read(query.text, english.as_deref());
        if question.is_empty() || asked.terms.is_empty() {
            return ladder2::Ladder2.search(index, query, question);
        }
        let words = Scores::of(&asked, &index.known.lexical);
        let meaning = query.meaning.and_then(|it| index.known.vectors.similarities(it));
        let mut fits = Fits::of(&words, meaning.as_deref());
        let lessons = query.learned.map(|it| it.lessons(index, query.text, query.meaning)).unwrap_or_default();
        for (tool, worth) in &lessons {
            fits.of[*tool as usize] += worth;
        }
        let named = named(index, &asked, question.text());
        let reasons = Reasons { index, asked: &asked, meaning: meaning.as_deref(), lessons: &lessons, named: &named };
        let floor = if query.has_floor { fits.floor } else { 0.0 };
        let score = |tool: u32| match (named.contains(&tool), fits.sure(tool) * index.trust(tool, UNAPPROVED)) {
            (true, _) => 1.0,
            // What words alone would find is found with meaning, too: also where no word is rare, as among a few tools.
            (_, sure) if words.is_known && words.reached(tool) >= SAID => sure.max(floor + 0.1 * sure),
            (_, sure) => sure,
        };
        let shown = shown(index, &fits.of, &named, query, |tool| Fit {
            tool,
            score: score(tool),
            source: index.sources[tool as usize],
            is_approved: index.is_approved(tool),
        });
        let hits = shown.into_iter().filter(|it| it.score >= floor);
        hits.map(|it| Hit {
            id: index.tools[it.tool as usize].id.clone(),
            score: round(it.score),
            why: reasons.of(it.tool),
        })
        .collect()
    }
}

impl Index {
    pub(crate) fn questions(&self) -> Questions<'_> {
        Questions { stems: &self.stems, lexical: &self.known.lexical, near: self.near() }
    }

    fn trust(&self, tool: u32, unapproved: f64) -> f64 {
        if self.is_approved(tool) { 1.0 } else { unapproved }
    }
}

/// The best in a fair order. Looks at a few more than wanted first; only where one source has all of those, at all.
fn shown(index: &Index, fits: &[f32], named: &[u32], query: &Query<'_>, fit: impl Fn(u32) -> Fit) -> Vec<Fit> {
    let limit = query.bounded_limit();
    let is_met = |tool: &u32| fits[*tool as usize] > 0.0 || named.contains(tool);
    let is_wanted = |tool: &u32| query.sources.is_none() || query.wants(&index.tools[*tool as usize].id.source);
    let mut tools: Vec<u32> = (0..fits.len() as u32).filter(is_met).filter(is_wanted).collect();
    let by_fit = |one: &u32, other: &u32| fits[*other as usize].total_cmp(&fits[*one as usize]).then(one.cmp(other));
    let enough = limit * 3 + 64;
    let all = if tools.len() > enough {
        let all = tools.clone();
        tools.select_nth_unstable_by(enough, by_fit);
        tools.truncate(enough);
        tools.extend(named.iter().filter(|it| is_wanted(it)));
        Some(all)
    } else {
        None
    };
    let pick = |mut tools: Vec<u32>| {
        tools.sort_unstable();
        tools.dedup();
        let mut fits: Vec<Fit> = tools.into_iter().map(&fit).collect();
        fits.sort_unstable_by(|one, other| best_first(index, one, other));
        // Who names sources wants those, and not a fair share of others.
        if query.sources.is_some() {
            fits.truncate(limit);
            return fits;
        }
        fair::picked(&fits, limit)
    };
    let picked = pick(tools);
    match all {
        Some(all) if picked.len() < limit => pick(all),
        _ => picked,
    }
}

/// Ties are decided by who the tools are, never by the order they came in.
fn best_first(index: &Index, one: &Fit, other: &Fit) -> Ordering {
    let id = |it: &Fit| &index.tools[it.tool as usize].id;
    other.score.total_cmp(&one.score).then_with(|| id(one).cmp(id(other)))
}

/// The approved tools whose name this is. That somebody calls a tool of theirs what others ask for earns them nothing.
pub(crate) fn named(index: &Index, asked: &Asked, text: &str) -> Vec<u32> {
    let same = |it: &crate::asked::Term| it.ways.first().map(|it| it.term);
    let rarest = asked.terms.iter().filter_map(same).min_by_key(|it| index.known.lexical.postings(*it).len());
    let Some(rarest) = rarest.filter(|_| !text.contains(char::is_whitespace)) else { return Vec::new() };
    let tools = index.known.lexical.postings(rarest).iter().map(|it| crate::lexical::unpacked(*it).0);
    tools.filter(|it| index.is_approved(*it) && is_named(&index.tools[*it as usize].id, text)).collect()
}

/// `text` is in lower case.
fn is_named(id: &toolscout_core::ToolId, text: &str) -> bool {
    let (source, name) = (id.source.as_str(), id.name.as_str().to_lowercase());
    let behind = text.strip_prefix(source).and_then(|it| it.strip_prefix("__").or(it.strip_prefix(['/', ':', '.'])));
    text == name || behind == Some(&name)
}

/// Four places tell two hits apart; more would only look precise.
fn round(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}
