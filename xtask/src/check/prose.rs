//! Prose: comments, messages and docs use plain words, and none that the project has retired.
//!
//! `prose_allowed.txt` lists the few right uses of a retired word. Phrases that are sometimes right
//! have a budget per 10,000 words instead.

mod allowed;
mod passages;
mod phrases;
#[cfg(test)]
mod tests;

use super::shown;
use crate::repo;
use allowed::AllowList;
use anyhow::Context;
use passages::Medium;
pub(crate) use passages::is_for_tests;

use phrases::{PHRASES, PhraseFinder};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The media that are checked. Comments of tests are only listed: many are from before the check.
const CHECKED: [Medium; 3] = [Medium::Comments, Medium::Messages, Medium::Docs];

const ALLOWED: &str = "xtask/src/check/prose_allowed.txt";

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let allowed = AllowList::parse(&fs::read_to_string(root.join(ALLOWED))?)?;
    let survey = Survey::of(root, &allowed)?;
    let rates = survey.rates();
    let mut findings = Vec::new();
    for Occurrence { medium, file, line, phrase, words, .. } in &survey.occurrences {
        let (rate, phrase) = (rates[&(*phrase, *medium)], &PHRASES[*phrase]);
        if rate <= phrase.budget || !CHECKED.contains(medium) {
            continue;
        }
        let mut finding = format!("{file}:{line}: `{words}`; instead: {}", phrase.suggestion);
        if phrase.budget > 0 {
            let (medium, budget) = (medium.name(), phrase.budget);
            let _ = write!(finding, " ({rate} in 10,000 words of {medium}, at most {budget})");
        }
        findings.push(finding);
    }
    findings.extend(
        allowed.unused().map(|entry| format!("{ALLOWED}:{entry} allows nothing: remove it")),
    );
    Ok(findings)
}

/// Prints every occurrence with its line, also if it is within the budget, and all rates.
pub(super) fn list(root: &Path) -> anyhow::Result<()> {
    let allowed = AllowList::parse(&fs::read_to_string(root.join(ALLOWED))?)?;
    let survey = Survey::of(root, &allowed)?;
    for Occurrence { file, line, words, text, .. } in &survey.occurrences {
        println!("{file}:{line}: {words}: {text}");
    }
    println!("\nin 10,000 words, and at most:");
    for ((phrase, medium), rate) in survey.rates() {
        let phrases::Phrase { patterns, budget, .. } = &PHRASES[phrase];
        println!("{rate:5} {budget:3}  {:17}  {patterns}", medium.name());
    }
    Ok(())
}

/// A phrase at a line of a file.
struct Occurrence {
    medium: Medium,
    file: String,
    line: usize,
    /// The index in [`PHRASES`].
    phrase: usize,
    words: String,
    /// The whole line.
    text: String,
}

/// All phrases of the repository, and how many words each medium has.
#[derive(Default)]
struct Survey {
    occurrences: Vec<Occurrence>,
    words: BTreeMap<Medium, usize>,
}

impl Survey {
    fn of(root: &Path, allowed: &AllowList) -> anyhow::Result<Self> {
        let finder = PhraseFinder::new(PHRASES);
        let mut survey = Self::default();
        for path in repo::files(root)? {
            let file = shown(root, &path);
            if !passages::has_prose(&file) {
                continue;
            }
            let text = fs::read_to_string(&path).with_context(|| format!("read {file}"))?;
            survey.add(&file, &text, &finder, allowed);
        }
        Ok(survey)
    }

    fn add(&mut self, file: &str, text: &str, finder: &PhraseFinder, allowed: &AllowList) {
        let lines: Vec<&str> = text.lines().collect();
        for (medium, passage) in passages::of(file, text) {
            let (mut found, words) = finder.find(&passage);
            *self.words.entry(medium).or_default() += words;
            found.retain(|found| !allowed.permits(file, &found.words));
            self.occurrences.extend(found.into_iter().map(|found| Occurrence {
                medium,
                file: file.to_owned(),
                line: found.line,
                phrase: found.phrase,
                words: found.words,
                text: lines.get(found.line - 1).map_or("", |line| line.trim()).to_owned(),
            }));
        }
    }

    /// How often each phrase is in 10,000 words of each medium, rounded up.
    fn rates(&self) -> BTreeMap<(usize, Medium), usize> {
        let mut counts: BTreeMap<(usize, Medium), usize> = BTreeMap::new();
        for found in &self.occurrences {
            *counts.entry((found.phrase, found.medium)).or_default() += 1;
        }
        for ((_, medium), count) in &mut counts {
            let words = self.words.get(medium).copied().unwrap_or(0).max(1);
            *count = (*count * 10_000).div_ceil(words);
        }
        counts
    }
}
