//! Limits the share of each source in a result, so that no source crowds out others with many
//! similar tools.

/// A matching tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    pub(crate) tool: u32,
    pub(crate) score: f64,
    pub(crate) source: u32,
    pub(crate) is_approved: bool,
}

/// Maximum share of a result for one source, if other sources have hits.
const SHARE: f64 = 0.4;
/// A hit of an approved source beyond its share gives way only to hits with at least this part of
/// its score.
const NEARLY: f64 = 0.9;

/// The best hits, with fair shares. `fits` is sorted, best first.
pub(crate) fn picked(fits: &[Fit], limit: usize) -> Vec<Fit> {
    let most = ((limit as f64 * SHARE).floor() as usize).max(1);
    let mut waiting: Vec<Fit> = fits.to_vec();
    let mut picked: Vec<Fit> = Vec::new();
    while picked.len() < limit && !waiting.is_empty() {
        let has_room =
            |it: &Fit| picked.iter().filter(|other| other.source == it.source).count() < most;
        let first = waiting[0];
        let at = match waiting.iter().position(has_room) {
            Some(0) => 0,
            Some(other) if !first.is_approved || waiting[other].score >= first.score * NEARLY => {
                other
            }
            _ if first.is_approved => 0,
            _ => {
                // No other source has a hit left, and this unapproved source has used its share.
                waiting.remove(0);
                continue;
            }
        };
        picked.push(waiting.remove(at));
    }
    picked
}
