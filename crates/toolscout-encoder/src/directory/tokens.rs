//! The vocabulary and the tokenizer of a directory: `tokenizer.json`, or `vocab.txt` as in early
//! BERT models.

use super::{read_json, read_optional_json};
use crate::OpenError;
use crate::shape::{Special, Tokenizer};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Tokens in byte order, with the row of each in the weights.
pub(super) struct TokenTable {
    pub(super) tokenizer: Tokenizer,
    pub(super) special: Special,
    rows: BTreeMap<String, TokenRow>,
}

struct TokenRow {
    number: u32,
    /// The log probability of the token; for Unigram only.
    score: Option<f32>,
}

/// `tokenizer.json`
#[derive(Deserialize)]
struct TokenizerFile {
    model: Value,
    #[serde(default)]
    normalizer: Value,
}

impl TokenTable {
    pub(super) fn read(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join("tokenizer.json");
        match read_optional_json::<TokenizerFile>(&path)? {
            Some(file) => Self::of_tokenizer(path, file),
            None => Self::of_vocabulary(dir),
        }
    }

    fn of_tokenizer(path: PathBuf, file: TokenizerFile) -> Result<Self, OpenError> {
        let kind = file.model["type"].as_str().map(str::to_owned);
        // Early files do not state the type; those without scores are WordPiece.
        let kind = kind.unwrap_or_else(|| {
            if file.model["vocab"].is_object() { "WordPiece" } else { "Unigram" }.to_owned()
        });
        match kind.as_str() {
            "WordPiece" => {
                let rows = file.model["vocab"].as_object().into_iter().flatten();
                let rows = rows.filter_map(|(token, number)| {
                    Some((token.clone(), row(number.as_u64()?, None)?))
                });
                let rows = rows.collect();
                Self::of(path, wordpiece(&file.normalizer), rows, ["[CLS]", "[SEP]", "[UNK]"])
            }
            "Unigram" => {
                let rows = unigram_rows(&file.model["vocab"]);
                Self::of(path, Tokenizer::Unigram, rows, ["<s>", "</s>", "<unk>"])
            }
            other => {
                Err(OpenError::Unsupported { path, what: format!("a tokenizer of type `{other}`") })
            }
        }
    }

    fn of_vocabulary(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join("vocab.txt");
        let text = fs::read_to_string(&path)
            .map_err(|cause| OpenError::Unreadable { path: path.clone(), cause })?;
        let settings = dir.join("tokenizer_config.json");
        let settings: Value = if settings.is_file() { read_json(&settings)? } else { Value::Null };
        let lowercase = settings["do_lower_case"].as_bool().unwrap_or(true);
        let strip_accents = settings["strip_accents"].as_bool().unwrap_or(lowercase);
        let rows = text
            .lines()
            .zip(0..)
            .map(|(token, number)| (token.to_owned(), TokenRow { number, score: None }));
        Self::of(
            path,
            Tokenizer::WordPiece { lowercase, strip_accents },
            rows.collect(),
            ["[CLS]", "[SEP]", "[UNK]"],
        )
    }

    fn of(
        path: PathBuf,
        tokenizer: Tokenizer,
        mut rows: BTreeMap<String, TokenRow>,
        special: [&str; 3],
    ) -> Result<Self, OpenError> {
        // Placeholders in BERT vocabularies; no text becomes such a token.
        rows.retain(|token, _| !token.starts_with("[unused"));
        let rank = |token: &str| {
            let rank = rows.keys().position(|key| key == token).map(|index| index as u32);
            rank.ok_or_else(|| OpenError::Broken {
                path: path.clone(),
                why: format!("its vocabulary has no token `{token}`"),
            })
        };
        let special = Special {
            start: rank(special[0])?,
            end: rank(special[1])?,
            unknown: rank(special[2])?,
        };
        Ok(Self { tokenizer, special, rows })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn sorted(&self) -> Vec<&str> {
        self.rows.keys().map(String::as_str).collect()
    }

    /// The scores; empty for WordPiece.
    pub(super) fn scores(&self) -> Vec<f32> {
        self.rows.values().filter_map(|row| row.score).collect()
    }

    /// The rank of a token by its row in the weights.
    pub(super) fn ranks(&self) -> HashMap<u32, usize> {
        self.rows.values().enumerate().map(|(rank, row)| (row.number, rank)).collect()
    }
}

fn wordpiece(normalizer: &Value) -> Tokenizer {
    let lowercase = normalizer["lowercase"].as_bool().unwrap_or(true);
    Tokenizer::WordPiece {
        lowercase,
        strip_accents: normalizer["strip_accents"].as_bool().unwrap_or(lowercase),
    }
}

/// Pairs of a token and its score. Of duplicates the first counts.
fn unigram_rows(pairs: &Value) -> BTreeMap<String, TokenRow> {
    let mut rows = BTreeMap::new();
    for (number, pair) in pairs.as_array().into_iter().flatten().enumerate() {
        let score = pair[1].as_f64().map(|pair| pair as f32);
        if let (Some(token), Some(score)) = (pair[0].as_str(), score)
            && let Some(row) = row(number as u64, Some(score))
        {
            rows.entry(token.to_owned()).or_insert(row);
        }
    }
    rows
}

fn row(number: u64, score: Option<f32>) -> Option<TokenRow> {
    Some(TokenRow { number: number.try_into().ok()?, score })
}
