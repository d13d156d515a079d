//! A model directory with a few hundred random weights, made on the spot.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Widths that fill neither a block of rows nor a group of columns nor a lane.
const WIDTH: usize = 30;
const INNER: usize = 70;
const PIECES: &[&str] =
    &["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "mail", "send", "##er", "a", "##b", "the", "b", ".", "mailbox"];

pub(super) struct Tiny {
    folder: TempDir,
}

impl Tiny {
    pub(super) fn new() -> Self {
        let tiny = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir(tiny.path()).expect("a folder for the model");
        tiny.write("config.json", &config().to_string());
        tiny.write("vocab.txt", &PIECES.join("\n"));
        tiny.write_weights("F32");
        tiny
    }

    pub(super) fn write_weights(&self, dtype: &str) {
        fs::write(self.path().join("model.safetensors"), weights(dtype)).expect("weights can be written");
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("Tiny-Model")
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        fs::write(path, text).expect("a file of the model can be written");
    }

    pub(super) fn configure(&self, name: &str, value: Value) {
        let mut config = config();
        config[name] = value;
        self.write("config.json", &config.to_string());
    }
}

fn config() -> Value {
    json!({
        "model_type": "bert", "num_hidden_layers": 2, "hidden_size": WIDTH, "intermediate_size": INNER,
        "num_attention_heads": 3, "max_position_embeddings": 24, "type_vocab_size": 2, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    })
}

fn weights(dtype: &str) -> Vec<u8> {
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![PIECES.len(), WIDTH]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![24, WIDTH]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, WIDTH]),
    ];
    let mut add = |name: &str, rows: usize, columns: usize| {
        tensors.push((format!("{name}.weight"), if columns == 0 { vec![rows] } else { vec![rows, columns] }));
        tensors.push((format!("{name}.bias"), vec![rows]));
    };
    add("embeddings.LayerNorm", WIDTH, 0);
    for layer in ["encoder.layer.0", "encoder.layer.1"] {
        for part in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
            add(&format!("{layer}.{part}"), WIDTH, WIDTH);
        }
        add(&format!("{layer}.attention.output.LayerNorm"), WIDTH, 0);
        add(&format!("{layer}.intermediate.dense"), INNER, WIDTH);
        add(&format!("{layer}.output.dense"), WIDTH, INNER);
        add(&format!("{layer}.output.LayerNorm"), WIDTH, 0);
    }
    safetensors(&tensors, dtype)
}

/// The format: how long the list of tensors is, the list, and their numbers.
fn safetensors(tensors: &[(String, Vec<usize>)], dtype: &str) -> Vec<u8> {
    let (mut head, mut body) = (json!({"__metadata__": {"format": "pt"}}), Vec::new());
    let mut state = 1u32;
    for (name, shape) in tensors {
        let start = body.len();
        for _ in 0..shape.iter().product() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let random = (state >> 8) as f32 / (1 << 24) as f32 - 0.5;
            let number = if name.ends_with("LayerNorm.weight") { 1.0 + random } else { random };
            match dtype {
                "NaN" => body.extend(f32::NAN.to_le_bytes()),
                "F16" => body.extend(half(number).to_le_bytes()),
                "BF16" => body.extend(((number.to_bits() >> 16) as u16).to_le_bytes()),
                _ => body.extend(number.to_le_bytes()),
            }
        }
        let dtype = if dtype == "NaN" { "F32" } else { dtype };
        head[name] = json!({"dtype": dtype, "shape": shape, "data_offsets": [start, body.len()]});
    }
    let head = head.to_string();
    let len = head.len() as u64;
    [len.to_le_bytes().as_slice(), head.as_bytes(), &body].concat()
}

/// In sixteen bits, cut off; zero if it is too small for them.
fn half(number: f32) -> u16 {
    let bits = number.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 127 + 15;
    if exponent <= 0 { 0 } else { (bits >> 16 & 0x8000 | (exponent as u32) << 10 | bits >> 13 & 1023) as u16 }
}
