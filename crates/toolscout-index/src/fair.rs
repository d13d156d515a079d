//! Who gets how much of an answer: no source crowds out others by having many tools that fit nearly as well.

/// A tool that fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    pub(crate) tool: u32,
    pub(crate) score: f64,
    pub(crate) source: u32,
    pub(crate) is_approved: bool,
}

/// Of so much of an answer a source is sure.
const SHARE: f64 = 0.4;
/// An approved source gives way only to hits that are nearly as good.
const NEARLY: f64 = 0.9;

/// The best, in an order that is fair. `fits` are sorted, best first.
pub(crate) fn picked(fits: &[Fit], limit: usize) -> Vec<Fit> {
    let most = ((limit as f64 * SHARE).floor() as usize).max(1);
    let mut waiting: Vec<Fit> = fits.to_vec();
    let mut picked: Vec<Fit> = Vec::new();
    while picked.len() < limit && !waiting.is_empty() {
        let has_room = |it: &Fit| picked.iter().filter(|other| other.source == it.source).count() < most;
        let first = waiting[0];
        let at = match waiting.iter().position(has_room) {
            Some(0) => 0,
            Some(other) if !first.is_approved || waiting[other].score >= first.score * NEARLY => other,
            _ if first.is_approved => 0,
            _ => {
                // Nobody else is left who could have the place, and this one may not.
                waiting.remove(0);
                continue;
            }
        };
        picked.push(waiting.remove(at));
    }
    picked
}
