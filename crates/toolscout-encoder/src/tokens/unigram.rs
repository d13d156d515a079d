//! Unigram: splits a text into its most probable pieces, as SentencePiece does; several languages
//! share one vocabulary.

use crate::file::ModelFile;
use icu_normalizer::ComposingNormalizerBorrowed;

/// Stands for the space before a word.
const SPACE: char = '\u{2581}';
/// Penalty of an unknown character compared with the least probable piece.
const UNKNOWN_PENALTY: f32 = 10.0;
/// Maximum number of bytes that are split at once. Some languages have no spaces, and the search
/// needs memory for each byte.
const LONGEST_RUN: usize = 4096;

/// Adds the text's pieces, up to `room`.
pub(super) fn cut(file: &ModelFile, text: &str, room: usize, pieces: &mut Vec<u32>) {
    let letters = ComposingNormalizerBorrowed::new_nfkc().normalize_iter(text.chars());
    let normal: String = letters.filter(|it| !it.is_control() || it.is_whitespace()).collect();
    for word in normal.split_whitespace() {
        if pieces.len() >= room {
            return;
        }
        let marked: String = std::iter::once(SPACE).chain(word.chars()).collect();
        cut_run(file, &marked[..marked.floor_char_boundary(LONGEST_RUN)], pieces);
    }
}

/// The best path to a position in the text: its score, and its last piece.
#[derive(Clone, Copy)]
struct BestPath {
    score: f32,
    from: usize,
    piece: u32,
}

fn cut_run(file: &ModelFile, run: &str, pieces: &mut Vec<u32>) {
    let ways = best_ways(file, run);
    let mut found = Vec::new();
    let mut at = run.len();
    while at > 0
        && let Some(way) = ways[at]
    {
        // Adjacent unknown characters become one unknown piece.
        let unknown = file.shape.special.unknown;
        if way.piece != unknown || found.last() != Some(&unknown) {
            found.push(way.piece);
        }
        at = way.from;
    }
    pieces.extend(found.into_iter().rev());
}

fn best_ways(file: &ModelFile, run: &str) -> Vec<Option<BestPath>> {
    let mut ways: Vec<Option<BestPath>> = vec![None; run.len() + 1];
    ways[0] = Some(BestPath { score: 0.0, from: 0, piece: 0 });
    for (from, letter) in run.char_indices() {
        let Some(BestPath { score, .. }) = ways[from] else { continue };
        let mut walk = file.vocabulary.walk(&file.bytes);
        for (len, byte) in run.as_bytes()[from..].iter().enumerate() {
            if !walk.step(*byte) {
                break;
            }
            if let Some(piece) = walk.piece() {
                improve(
                    &mut ways[from + len + 1],
                    BestPath { score: score + file.score(piece), from, piece },
                );
            }
        }
        let unknown = file.shape.special.unknown;
        let score = score + file.least_score - UNKNOWN_PENALTY;
        improve(&mut ways[from + letter.len_utf8()], BestPath { score, from, piece: unknown });
    }
    ways
}

fn improve(way: &mut Option<BestPath>, other: BestPath) {
    if way.is_none_or(|it| other.score > it.score) {
        *way = Some(other);
    }
}
