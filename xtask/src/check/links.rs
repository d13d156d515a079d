//! Links between the project's own pages: the target file and the heading must exist, and every
//! page of the book must be in its summary.

use super::shown;
use crate::repo;
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    let mut pages_of_book = Vec::new();
    for page in repo::files(root)?.into_iter().filter(|file| is_page(file)) {
        let name = shown(root, &page);
        let text = fs::read_to_string(&page).with_context(|| format!("read {name}"))?;
        for link in links(&text).into_iter().filter(|link| is_internal(link)) {
            let why = dead(&page, &text, &link)?.or_else(|| leaves_book(&name, &link));
            findings.extend(why.map(|why| format!("{name}: {why}")));
        }
        pages_of_book.extend(name.strip_prefix("docs/").map(str::to_owned));
    }
    let summary = fs::read_to_string(root.join("docs/SUMMARY.md")).context("read the summary")?;
    findings.extend(not_in_summary(&summary, &pages_of_book));
    Ok(findings)
}

/// Findings for pages that the summary does not list, or lists more than once.
pub(super) fn not_in_summary(summary: &str, pages: &[String]) -> Vec<String> {
    let listed = links(summary);
    let pages = pages.iter().filter(|page| *page != "SUMMARY.md");
    let counts = pages.map(|page| (page, listed.iter().filter(|link| *link == page).count()));
    let wrong = counts.filter(|(_, count)| *count != 1);
    wrong.map(|(page, count)| format!("docs/SUMMARY.md: lists `{page}` {count} times")).collect()
}

/// The reason why this link is dead in the book, if the page is for users and the link leads to a
/// file that is not part of the book.
pub(super) fn leaves_book(page: &str, link: &str) -> Option<String> {
    let folder =
        ["docs/guide/", "docs/reference/"].iter().find(|folder| page.starts_with(**folder));
    let leaves = folder.is_some() && link.starts_with("../../");
    leaves.then(|| format!("`{link}` leads out of the book: name the file instead"))
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

fn is_internal(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:")
}

/// The reason why this link is dead, if so.
fn dead(page: &Path, text: &str, link: &str) -> anyhow::Result<Option<String>> {
    let (file, heading) =
        link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
    let target = if file.is_empty() { page.to_owned() } else { beside(page, file) };
    if !target.exists() {
        return Ok(Some(format!("`{link}` leads to no file")));
    }
    let Some(heading) = heading.filter(|_| is_page(&target)) else { return Ok(None) };
    let there = if target == page { text.to_owned() } else { fs::read_to_string(&target)? };
    Ok((!anchors(&there).iter().any(|anchor| anchor == heading))
        .then(|| format!("`{link}` leads to no heading")))
}

fn beside(page: &Path, file: &str) -> PathBuf {
    page.parent().unwrap_or(Path::new(".")).join(file)
}

/// The targets of `[text](target)`, outside of code.
pub(super) fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        let mut rest = line.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let (target, after) = after.split_once(')').unwrap_or((after, ""));
            found.extend(target.split_whitespace().next().map(str::to_owned));
            rest = after;
        }
    }
    found
}

/// The anchors of a page's headings.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in outside_fences(text).filter(|outside_fence| outside_fence.starts_with('#')) {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|value| if value == ' ' { '-' } else { value }).collect();
        let earlier = found.iter().filter(|item| **item == anchor).count();
        found.push(if earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
    }
    found
}

/// The lines without inline code.
fn prose(text: &str) -> impl Iterator<Item = String> {
    outside_fences(text).map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("``"))
}

fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}
