//! Balances the ranges of inputs and weights before quantization, column by column.
//!
//! A few columns of a matrix's input are ten times as large as the others and would leave those
//! only a few quantization steps. So each column is divided by a factor, and its weights are
//! multiplied by the same: the product stays, and both sides use their bits. The ranges of columns
//! are measured on some texts; the square root splits the factor between inputs and weights. Square
//! roots and quotients are the same on every machine, other powers are not.

use crate::bytes::Bytes;
use crate::file::ModelFile;
use crate::kernel::{self, KernelPath};
use crate::pass::TokenBatch;
use crate::tokens;
use std::sync::Arc;

/// Typical queries and tool descriptions, and the empty text.
const TEXTS: [&str; 12] = [
    "",
    "mail",
    "What will the weather be like in Lisbon the day after tomorrow?",
    "find the pull requests that nobody has looked at for a week, and remind their reviewers",
    "convert 250 US dollars to Japanese yen",
    "play something quiet for the evening",
    "Why does my order 4711 still say \"packed\"?",
    "create_calendar_event: Adds an event to a calendar, with title, place, guests and a reminder. title, starts_at, ends_at, guests",
    "query database: Runs a read-only SQL statement and gives back rows as JSON, at most 1,000 of them. statement, parameters, limit",
    "resize image (width x height); keeps the ratio unless told not to. Supports PNG, JPEG and WebP.",
    "Lists the containers of a cluster with their state, image, restarts and age; use `follow` to stream the logs of one.",
    "Übersetze diesen Absatz ins Französische, s'il vous plaît: 明日は休みです。",
];
/// Minimum peak of a column as a share of the largest, since a column that is small on these texts
/// may be larger on others.
const MIN_SHARE: f32 = 1.0 / 256.0;
const TOKENS_PER_TEXT: usize = 64;

/// The maximum absolute inputs of every matrix, column by column, in the order of the file.
pub(super) fn observe(model: Vec<u8>) -> Result<Vec<Vec<f32>>, String> {
    let file = ModelFile::read(Bytes::Shared(Arc::new(model)))?;
    let mut batch = TokenBatch::recording_peaks();
    for text in TEXTS {
        batch.push(&tokens::tokenize(&file, text, TOKENS_PER_TEXT.min(file.shape.positions)));
    }
    Ok(kernel::run(KernelPath::fastest(), &file, &batch).peaks)
}

/// The factor for each column of the inputs; all 1 without peaks.
pub(super) fn factors(weights: &[f32], width: usize, peaks: Option<&Vec<f32>>) -> Vec<f32> {
    let Some(peaks) = peaks else { return vec![1.0; width] };
    let mut largest = vec![0.0f32; width];
    for row in weights.chunks_exact(width) {
        for (largest, weight) in largest.iter_mut().zip(row) {
            *largest = largest.max(weight.abs());
        }
    }
    let minimum = peaks.iter().fold(0.0f32, |most, peak| most.max(*peak)) * MIN_SHARE;
    let ratio = |(weight, peak): (&f32, &f32)| (weight / peak.max(minimum)).sqrt();
    // A column without weights, or a model with NaN weights, is left unchanged.
    let usable = |number: f32| if number.is_normal() { number } else { 1.0 };
    largest.iter().zip(peaks).map(ratio).map(usable).collect()
}
