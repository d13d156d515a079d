//! Unigram: splits a text into its most probable tokens, as SentencePiece does; several languages
//! share one vocabulary.

use crate::file::ModelFile;
use icu_normalizer::ComposingNormalizerBorrowed;

/// Stands for the space before a word.
const SPACE: char = '\u{2581}';
/// Penalty of an unknown character compared with the least probable token.
const UNKNOWN_PENALTY: f32 = 10.0;
/// Maximum number of bytes that are split at once. Some languages have no spaces, and the search
/// needs memory for each byte.
const MAX_RUN_BYTES: usize = 4096;

/// Adds the text's tokens, up to `limit`.
pub(super) fn tokenize(file: &ModelFile, text: &str, limit: usize, tokens: &mut Vec<u32>) {
    let letters = ComposingNormalizerBorrowed::new_nfkc().normalize_iter(text.chars());
    let normal: String =
        letters.filter(|letter| !letter.is_control() || letter.is_whitespace()).collect();
    for word in normal.split_whitespace() {
        if tokens.len() >= limit {
            return;
        }
        let marked: String = std::iter::once(SPACE).chain(word.chars()).collect();
        tokenize_run(file, &marked[..marked.floor_char_boundary(MAX_RUN_BYTES)], tokens);
    }
}

/// The best path to a position in the text: its score, and its last token.
#[derive(Clone, Copy)]
struct BestPath {
    score: f32,
    from: usize,
    token: u32,
}

fn tokenize_run(file: &ModelFile, run: &str, tokens: &mut Vec<u32>) {
    let paths = best_paths(file, run);
    let mut found = Vec::new();
    let mut at = run.len();
    while at > 0
        && let Some(path) = paths[at]
    {
        // Adjacent unknown characters become one unknown token.
        let unknown = file.shape.special.unknown;
        if path.token != unknown || found.last() != Some(&unknown) {
            found.push(path.token);
        }
        at = path.from;
    }
    tokens.extend(found.into_iter().rev());
}

fn best_paths(file: &ModelFile, run: &str) -> Vec<Option<BestPath>> {
    let mut paths: Vec<Option<BestPath>> = vec![None; run.len() + 1];
    paths[0] = Some(BestPath { score: 0.0, from: 0, token: 0 });
    for (from, letter) in run.char_indices() {
        let Some(BestPath { score, .. }) = paths[from] else { continue };
        let mut cursor = file.vocabulary.cursor(&file.bytes);
        for (len, byte) in run.as_bytes()[from..].iter().enumerate() {
            if !cursor.step(*byte) {
                break;
            }
            if let Some(token) = cursor.token() {
                improve(
                    &mut paths[from + len + 1],
                    BestPath { score: score + file.score(token), from, token },
                );
            }
        }
        let unknown = file.shape.special.unknown;
        let score = score + file.lowest_score - UNKNOWN_PENALTY;
        improve(&mut paths[from + letter.len_utf8()], BestPath { score, from, token: unknown });
    }
    paths
}

fn improve(path: &mut Option<BestPath>, other: BestPath) {
    if path.is_none_or(|path| other.score > path.score) {
        *path = Some(other);
    }
}
