//! The kind of model in a directory: `config.json`, and the files that sentence-transformers adds
//! to it.

use super::tokens::TokenTable;
use super::{read_json, read_optional_json};
use crate::OpenError;
use crate::shape::{Activation, MAX_TOKENS, ModelShape, Pooling};
use serde::Deserialize;
use std::path::Path;

pub(super) struct Config {
    pub(super) name: String,
    model: ModelConfig,
    pooling: Pooling,
    activation: Activation,
}

/// `config.json`
#[derive(Deserialize)]
struct ModelConfig {
    model_type: String,
    num_hidden_layers: usize,
    hidden_size: usize,
    intermediate_size: usize,
    num_attention_heads: usize,
    max_position_embeddings: usize,
    #[serde(default = "one")]
    type_vocab_size: usize,
    hidden_act: String,
    layer_norm_eps: f32,
    position_embedding_type: Option<String>,
    pad_token_id: Option<usize>,
}

/// An entry of `modules.json`
#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

/// `1_Pooling/config.json`
#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

impl Config {
    pub(super) fn read(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join("config.json");
        let model: ModelConfig = read_json(&path)?;
        let unsupported = |what: String| OpenError::Unsupported { path: path.clone(), what };
        if !matches!(model.model_type.as_str(), "bert" | "xlm-roberta") {
            return Err(unsupported(format!("a model of type `{}`", model.model_type)));
        }
        if let Some(kind) = model
            .position_embedding_type
            .as_ref()
            .filter(|position_embedding_type| *position_embedding_type != "absolute")
        {
            return Err(unsupported(format!("position embeddings of type `{kind}`")));
        }
        let activation = match model.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "relu" => Activation::Relu,
            other => return Err(unsupported(format!("the activation `{other}`"))),
        };
        let pooling = read_pooling(dir)?;
        let name = plain_name(dir);
        Ok(Self { name, model, pooling, activation })
    }

    pub(super) fn shape(&self, tokens: &TokenTable, dir: &Path) -> Result<ModelShape, OpenError> {
        let model = &self.model;
        let shape = ModelShape {
            tokenizer: tokens.tokenizer,
            pooling: self.pooling,
            activation: self.activation,
            layers: model.num_hidden_layers,
            width: model.hidden_size,
            inner: model.intermediate_size,
            heads: model.num_attention_heads,
            positions: model
                .max_position_embeddings
                .saturating_sub(self.first_position())
                .min(MAX_TOKENS),
            vocabulary: tokens.len(),
            special: tokens.special,
            epsilon: model.layer_norm_eps,
        };
        let invalid_number = shape.invalid_number();
        invalid_number.map_or(Ok(shape), |invalid_number| {
            Err(OpenError::Broken { path: dir.join("config.json"), why: invalid_number })
        })
    }

    /// RoBERTa counts positions from the one after its padding index.
    pub(super) fn first_position(&self) -> usize {
        let counts_later = self.model.model_type == "xlm-roberta";
        if counts_later { self.model.pad_token_id.unwrap_or(1).saturating_add(1) } else { 0 }
    }

    pub(super) fn kinds(&self) -> usize {
        self.model.type_vocab_size
    }
}

/// The pooling method; mean by default.
fn read_pooling(dir: &Path) -> Result<Pooling, OpenError> {
    let modules: Vec<Module> = read_optional_json(&dir.join("modules.json"))?.unwrap_or_default();
    let kind = |module: &Module| module.kind.rsplit('.').next().unwrap_or_default().to_owned();
    if let Some(other) = modules
        .iter()
        .map(kind)
        .find(|kind| !matches!(kind.as_str(), "Transformer" | "Pooling" | "Normalize"))
    {
        return Err(OpenError::Unsupported {
            path: dir.join("modules.json"),
            what: format!("a module `{other}`"),
        });
    }
    let folder = modules
        .iter()
        .find(|module| kind(module) == "Pooling")
        .map_or("1_Pooling", |module| &module.path);
    let path = dir.join(folder).join("config.json");
    let pooling: Option<PoolingConfig> = read_optional_json(&path)?;
    match pooling {
        None
        | Some(PoolingConfig { pooling_mode_mean_tokens: true, pooling_mode_cls_token: false }) => {
            Ok(Pooling::Mean)
        }
        Some(PoolingConfig { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }) => {
            Ok(Pooling::First)
        }
        Some(_) => Err(OpenError::Unsupported {
            path,
            what: "pooling that is neither mean nor CLS".to_owned(),
        }),
    }
}

/// The name of the directory, because `config.json` often contains the name of the base model.
fn plain_name(dir: &Path) -> String {
    let whole = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let folder =
        whole.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    folder.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect()
}

fn one() -> usize {
    1
}
