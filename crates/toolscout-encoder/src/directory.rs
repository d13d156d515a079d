//! Converts a sentence-transformers directory to a model file with int8 weights.

mod config;
mod smoothing;
mod tensors;
mod tokens;

use crate::OpenError;
use crate::file::write::ModelWriter;
use crate::quantize::quantize;
use crate::shape::ModelShape;
use config::Config;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use tensors::Tensors;
use tokens::TokenTable;

/// The complete file of the model in this directory. It is built twice: the first build measures
/// the ranges of the inputs.
pub(crate) fn convert(dir: &Path) -> Result<Vec<u8>, OpenError> {
    let unsmoothed = write(dir, &[])?;
    let peaks = smoothing::observe(unsmoothed)
        .map_err(|why| OpenError::Broken { path: dir.to_owned(), why })?;
    write(dir, &peaks)
}

fn write(dir: &Path, peaks: &[Vec<f32>]) -> Result<Vec<u8>, OpenError> {
    let config = Config::read(dir)?;
    let tokens = TokenTable::read(dir)?;
    let shape = config.shape(&tokens, dir)?;
    let mut tensors = Tensors::open(&dir.join("model.safetensors"))?;
    let mut writer = ModelWriter::new(&shape, &config.name);
    writer.vocabulary(&tokens.sorted());
    writer.floats(&tokens.scores());
    write_words(&mut writer, &mut tensors, &tokens, &shape)?;
    write_positions(&mut writer, &mut tensors, &config, &shape)?;
    write_norm(&mut writer, &mut tensors, "embeddings.LayerNorm", &shape)?;
    for layer in 0..shape.layers {
        let peaks = peaks.get(4 * layer..).unwrap_or_default();
        write_layer(&mut writer, &mut tensors, &format!("encoder.layer.{layer}"), &shape, peaks)?;
    }
    Ok(writer.finish())
}

/// The embeddings of tokens, in the order of the vocabulary. Omits rows of tokens that text cannot
/// produce.
fn write_words(
    writer: &mut ModelWriter,
    tensors: &mut Tensors,
    tokens: &TokenTable,
    shape: &ModelShape,
) -> Result<(), OpenError> {
    let mut scales = vec![0.0; shape.vocabulary];
    let mut steps = vec![0; shape.vocabulary * shape.width];
    let ranks = tokens.ranks();
    tensors.rows("embeddings.word_embeddings.weight", shape.width, |row, values| {
        if let Some(rank) = ranks.get(&(row as u32)) {
            scales[*rank] = quantize(values, &mut steps[rank * shape.width..][..shape.width]);
        }
    })?;
    writer.table(&scales, &steps);
    Ok(())
}

/// The embeddings of positions. All tokens have the same token type, so its vector is added to them
/// once.
fn write_positions(
    writer: &mut ModelWriter,
    tensors: &mut Tensors,
    config: &Config,
    shape: &ModelShape,
) -> Result<(), OpenError> {
    let kind =
        tensors.all("embeddings.token_type_embeddings.weight", config.kinds() * shape.width)?;
    let mut scales = vec![0.0; shape.positions];
    let mut steps = vec![0; shape.positions * shape.width];
    tensors.rows("embeddings.position_embeddings.weight", shape.width, |row, values| {
        let position =
            row.checked_sub(config.first_position()).filter(|sum| *sum < shape.positions);
        if let Some(position) = position {
            let sum: Vec<f32> = values.iter().zip(&kind).map(|(one, other)| one + other).collect();
            scales[position] = quantize(&sum, &mut steps[position * shape.width..][..shape.width]);
        }
    })?;
    writer.table(&scales, &steps);
    Ok(())
}

/// `peaks` starts with those of this layer's four matrices, if there are any.
fn write_layer(
    writer: &mut ModelWriter,
    tensors: &mut Tensors,
    name: &str,
    shape: &ModelShape,
    peaks: &[Vec<f32>],
) -> Result<(), OpenError> {
    let ModelShape { width, inner, .. } = *shape;
    let parts = ["query", "key", "value"].map(|value| format!("{name}.attention.self.{value}"));
    write_matrix(writer, tensors, &parts, [width, width], peaks.first())?;
    write_matrix(
        writer,
        tensors,
        &[format!("{name}.attention.output.dense")],
        [width, width],
        peaks.get(1),
    )?;
    write_norm(writer, tensors, &format!("{name}.attention.output.LayerNorm"), shape)?;
    write_matrix(
        writer,
        tensors,
        &[format!("{name}.intermediate.dense")],
        [inner, width],
        peaks.get(2),
    )?;
    write_matrix(writer, tensors, &[format!("{name}.output.dense")], [width, inner], peaks.get(3))?;
    write_norm(writer, tensors, &format!("{name}.output.LayerNorm"), shape)
}

/// Matrices of the same size, one below the other.
fn write_matrix(
    writer: &mut ModelWriter,
    tensors: &mut Tensors,
    parts: &[String],
    [rows, columns]: [usize; 2],
    peaks: Option<&Vec<f32>>,
) -> Result<(), OpenError> {
    let (mut weights, mut bias) = (Vec::new(), Vec::new());
    for part in parts {
        weights.extend(tensors.all(&format!("{part}.weight"), rows * columns)?);
        bias.extend(tensors.all(&format!("{part}.bias"), rows)?);
    }
    writer.matrix(&weights, &bias, &smoothing::factors(&weights, columns, peaks));
    Ok(())
}

fn write_norm(
    writer: &mut ModelWriter,
    tensors: &mut Tensors,
    name: &str,
    shape: &ModelShape,
) -> Result<(), OpenError> {
    writer.floats(&tensors.all(&format!("{name}.weight"), shape.width)?);
    writer.floats(&tensors.all(&format!("{name}.bias"), shape.width)?);
    Ok(())
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, OpenError> {
    let text =
        fs::read(path).map_err(|cause| OpenError::Unreadable { path: path.to_owned(), cause })?;
    serde_json::from_slice(&text)
        .map_err(|err| OpenError::Broken { path: path.to_owned(), why: err.to_string() })
}

/// A file that is optional in a model.
fn read_optional_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, OpenError> {
    match read_json(path) {
        Ok(value) => Ok(Some(value)),
        Err(OpenError::Unreadable { cause, .. }) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}
