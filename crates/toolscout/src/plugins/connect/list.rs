//! `connect --list`: which programs are there, and which have us.

use super::command::homes;
use super::site::Site;
use crate::plugins::import::{CLIENTS, Client, ClientFile, Homes, Ourselves};
use crate::{AppError, RunCx};
use serde::Serialize;
use std::path::PathBuf;
use toolscout_core::escape;
use toolscout_surface::output::Format;

/// A client, or one of its files that is there.
#[derive(Debug, Serialize, PartialEq, Eq)]
struct Line {
    client: &'static str,
    /// `connected`, `found`, `broken` or `not found`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
}

pub(super) fn list(cx: &RunCx) -> Result<(), AppError> {
    let homes = homes(cx)?;
    let us = Ourselves::of(cx);
    let lines: Vec<_> = CLIENTS.into_iter().flat_map(|it| lines(it, &homes, &us)).collect();
    match cx.options().format() {
        Format::Text => cx.print(&lines.iter().map(text).collect::<String>()),
        format => cx.print_value(&lines, format),
    }
}

fn lines(client: &'static dyn Client, homes: &Homes, us: &Ourselves) -> Vec<Line> {
    let there = client.files(homes).into_iter().filter(|it| it.path.is_file());
    let lines: Vec<_> = there.map(|it| line(client, it, homes, us)).collect();
    if lines.is_empty() {
        return vec![Line { client: client.name(), state: "not found", scope: None, path: None }];
    }
    lines
}

fn line(client: &'static dyn Client, file: ClientFile, homes: &Homes, us: &Ourselves) -> Line {
    let state = match Site::at(client, &file.path, homes, us) {
        Ok(site) if site.is_connected() => "connected",
        Ok(_) => "found",
        Err(_) => "broken",
    };
    Line { client: client.name(), state, scope: Some(file.scope.word()), path: Some(file.path) }
}

fn text(line: &Line) -> String {
    let path = line.path.as_ref().map(|it| it.display().to_string()).unwrap_or_default();
    format!("{:<16}{:<12}{}", line.client, line.state, escape::line(&path)).trim_end().to_owned() + "\n"
}
