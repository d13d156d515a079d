//! The same model in 32 bits, as a simple reference implementation.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A BERT encoder with mean pooling, read from a directory of sentence-transformers.
pub(crate) struct Plain {
    tensors: HashMap<String, Vec<f32>>,
    tokens: HashMap<String, usize>,
    layers: usize,
    width: usize,
    heads: usize,
    epsilon: f32,
}

impl Plain {
    pub(crate) fn open(directory: &Path) -> Outcome<Self> {
        let config: serde_json::Value =
            serde_json::from_slice(&fs::read(directory.join("config.json"))?)?;
        let number = |name: &str| {
            config[name].as_u64().map(|config| config as usize).ok_or(format!("no {name}"))
        };
        let vocabulary = fs::read_to_string(directory.join("vocab.txt"))?;
        Ok(Self {
            tensors: tensors(&fs::read(directory.join("model.safetensors"))?)?,
            tokens: vocabulary
                .lines()
                .zip(0..)
                .map(|(token, row)| (token.to_owned(), row))
                .collect(),
            layers: number("num_hidden_layers")?,
            width: number("hidden_size")?,
            heads: number("num_attention_heads")?,
            epsilon: config["layer_norm_eps"].as_f64().ok_or("no layer_norm_eps")? as f32,
        })
    }

    pub(crate) fn encode(&self, tokens: &[String]) -> Outcome<Vec<f32>> {
        let mut rows = Vec::new();
        for (place, token) in tokens.iter().enumerate() {
            let token = self.tokens.get(token).ok_or_else(|| format!("no token {token}"))?;
            let parts = [("word", *token), ("position", place), ("token_type", 0)];
            let parts = parts
                .map(|(name, row)| self.row(&format!("embeddings.{name}_embeddings.weight"), row));
            let [word, position, kind] = parts;
            let (word, position, kind) = (word?, position?, kind?);
            rows.push(
                (0..self.width).map(|index| word[index] + position[index] + kind[index]).collect(),
            );
        }
        self.norm(&mut rows, "embeddings.LayerNorm")?;
        for layer in 0..self.layers {
            self.layer(&mut rows, &format!("encoder.layer.{layer}"))?;
        }
        let sum: Vec<f32> =
            (0..self.width).map(|index| rows.iter().map(|row| row[index]).sum()).collect();
        let length = dot(&sum, &sum).sqrt();
        Ok(sum.into_iter().map(|sum| sum / length).collect())
    }

    fn layer(&self, rows: &mut [Vec<f32>], name: &str) -> Outcome<()> {
        let part = |text: &str| self.times(rows, &format!("{name}.attention.self.{text}"));
        let found = self.attention(&part("query")?, &part("key")?, &part("value")?);
        add(rows, &self.times(&found, &format!("{name}.attention.output.dense"))?);
        self.norm(rows, &format!("{name}.attention.output.LayerNorm"))?;
        let mut middle = self.times(rows, &format!("{name}.intermediate.dense"))?;
        middle.iter_mut().flatten().for_each(|middle| *middle = gelu(*middle));
        add(rows, &self.times(&middle, &format!("{name}.output.dense"))?);
        self.norm(rows, &format!("{name}.output.LayerNorm"))
    }

    fn attention(
        &self,
        queries: &[Vec<f32>],
        keys: &[Vec<f32>],
        values: &[Vec<f32>],
    ) -> Vec<Vec<f32>> {
        let own = self.width / self.heads;
        let mut found = vec![vec![0.0; self.width]; queries.len()];
        for (query, found) in queries.iter().zip(&mut found) {
            for head in (0..self.width).step_by(own) {
                let scores =
                    keys.iter().map(|key| dot(&query[head..head + own], &key[head..head + own]));
                let scores: Vec<f32> =
                    scores.map(|score| (score / (own as f32).sqrt()).exp()).collect();
                let all: f32 = scores.iter().sum();
                for (score, value) in scores.iter().zip(values) {
                    for at in head..head + own {
                        found[at] += score / all * value[at];
                    }
                }
            }
        }
        found
    }

    fn times(&self, rows: &[Vec<f32>], name: &str) -> Outcome<Vec<Vec<f32>>> {
        let (weight, bias) =
            (self.tensor(&format!("{name}.weight"))?, self.tensor(&format!("{name}.bias"))?);
        let product = |row: &Vec<f32>| {
            let weights = weight.chunks_exact(row.len());
            weights.zip(bias).map(|(weights, bias)| dot(row, weights) + bias).collect()
        };
        Ok(rows.iter().map(product).collect())
    }

    fn norm(&self, rows: &mut [Vec<f32>], name: &str) -> Outcome<()> {
        let (weight, bias) =
            (self.tensor(&format!("{name}.weight"))?, self.tensor(&format!("{name}.bias"))?);
        for row in rows {
            let count = row.len() as f32;
            let mean = row.iter().sum::<f32>() / count;
            let variance = row.iter().map(|row| (row - mean) * (row - mean)).sum::<f32>() / count;
            for (at, value) in row.iter_mut().enumerate() {
                *value = (*value - mean) / (variance + self.epsilon).sqrt() * weight[at] + bias[at];
            }
        }
        Ok(())
    }

    fn row(&self, name: &str, row: usize) -> Outcome<&[f32]> {
        let tensor = self.tensor(name)?;
        tensor
            .get(row * self.width..(row + 1) * self.width)
            .ok_or_else(|| format!("no row {row} in {name}").into())
    }

    fn tensor(&self, name: &str) -> Outcome<&[f32]> {
        self.tensors.get(name).map(Vec::as_slice).ok_or_else(|| format!("no tensor {name}").into())
    }
}

pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
}

fn tensors(bytes: &[u8]) -> Outcome<HashMap<String, Vec<f32>>> {
    let len = u64::from_le_bytes(*bytes.first_chunk().ok_or("too short")?) as usize;
    let head: HashMap<String, serde_json::Value> =
        serde_json::from_slice(bytes.get(8..8 + len).ok_or("too short")?)?;
    let mut tensors = HashMap::new();
    for (name, tensor) in head.into_iter().filter(|(_, item)| item["dtype"] == "F32") {
        let offset = |number: usize| {
            tensor["data_offsets"][number].as_u64().map(|offset| 8 + len + offset as usize)
        };
        let range = offset(0).ok_or("no offset")?..offset(1).ok_or("no offset")?;
        let numbers = bytes
            .get(range)
            .ok_or("too short")?
            .as_chunks()
            .0
            .iter()
            .map(|chunk| f32::from_le_bytes(*chunk));
        tensors.insert(name, numbers.collect());
    }
    Ok(tensors)
}

fn add(rows: &mut [Vec<f32>], others: &[Vec<f32>]) {
    for (value, other) in rows.iter_mut().flatten().zip(others.iter().flatten()) {
        *value += other;
    }
}

/// In eight lanes; this is the only optimization here.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let (ones, rest) = one.as_chunks::<8>();
    let (others, other_rest) = other.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for (one, other) in ones.iter().zip(others) {
        for lane in 0..8 {
            lanes[lane] += one[lane] * other[lane];
        }
    }
    lanes.iter().sum::<f32>()
        + rest.iter().zip(other_rest).map(|(one, other)| one * other).sum::<f32>()
}

/// By the power series of the normal distribution, so that it shares no code with the
/// implementation under test.
fn gelu(value: f32) -> f32 {
    let at = f64::from(value).clamp(-6.5, 6.5);
    let (mut sum, mut term, mut odd) = (at, at, 3.0);
    while term.abs() > 1e-12 {
        term *= at * at / odd;
        sum += term;
        odd += 2.0;
    }
    let below = 0.5 + sum * (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (f64::from(value) * below) as f32
}
