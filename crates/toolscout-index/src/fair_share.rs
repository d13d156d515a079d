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
const MAX_SHARE: f64 = 0.4;
/// A hit of an approved source beyond its share gives way only to hits with at least this part of
/// its score.
const MIN_RELATIVE_SCORE: f64 = 0.9;

/// The best hits, with fair shares. `fits` is sorted, best first.
pub(crate) fn pick(fits: &[Fit], limit: usize) -> Vec<Fit> {
    let max_per_source = ((limit as f64 * MAX_SHARE).floor() as usize).max(1);
    let mut remaining: Vec<Fit> = fits.to_vec();
    let mut picks: Vec<Fit> = Vec::new();
    while picks.len() < limit && !remaining.is_empty() {
        let has_room = |fit: &Fit| {
            picks.iter().filter(|other| other.source == fit.source).count() < max_per_source
        };
        let first = remaining[0];
        let at = match remaining.iter().position(has_room) {
            Some(0) => 0,
            Some(other)
                if !first.is_approved
                    || remaining[other].score >= first.score * MIN_RELATIVE_SCORE =>
            {
                other
            }
            _ if first.is_approved => 0,
            _ => {
                // No other source has a hit left, and this unapproved source has used its share.
                remaining.remove(0);
                continue;
            }
        };
        picks.push(remaining.remove(at));
    }
    picks
}
