//! The numbers at the start of a model file, and their order.

use super::cursor::Cursor;
use crate::shape::{Activation, ModelShape, Pooling, Special, Tokenizer};

const MAX_NAME_BYTES: usize = 256;

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<(ModelShape, String), String> {
    let tokenizer = read_tokenizer(cursor)?;
    let pooling = match cursor.number()? {
        0 => Pooling::Mean,
        1 => Pooling::First,
        other => return Err(format!("unknown pooling {other}")),
    };
    let activation = match cursor.number()? {
        0 => Activation::Gelu,
        1 => Activation::Relu,
        other => return Err(format!("unknown activation {other}")),
    };
    let mut count = || cursor.number().map(|number| number as usize);
    let (layers, width, inner, heads) = (count()?, count()?, count()?, count()?);
    let (positions, vocabulary) = (count()?, count()?);
    let special =
        Special { start: cursor.number()?, end: cursor.number()?, unknown: cursor.number()? };
    let epsilon = f32::from_bits(cursor.number()?);
    let shape = ModelShape {
        tokenizer,
        pooling,
        activation,
        layers,
        width,
        inner,
        heads,
        positions,
        vocabulary,
        special,
        epsilon,
    };
    if let Some(invalid_number) = shape.invalid_number() {
        return Err(invalid_number);
    }
    let name = cursor.number()? as usize;
    let name = cursor.take(name.min(MAX_NAME_BYTES))?;
    Ok((shape, String::from_utf8_lossy(name).into_owned()))
}

fn read_tokenizer(cursor: &mut Cursor<'_>) -> Result<Tokenizer, String> {
    let (kind, flags) = (cursor.number()?, cursor.number()?);
    match kind {
        0 => Ok(Tokenizer::WordPiece { lowercase: flags & 1 != 0, strip_accents: flags & 2 != 0 }),
        1 => Ok(Tokenizer::Unigram),
        other => Err(format!("unknown tokenizer {other}")),
    }
}

/// Writes the bytes that [`read`] parses.
pub(super) fn write(shape: &ModelShape, name: &str) -> Vec<u8> {
    let (kind, flags) = match shape.tokenizer {
        Tokenizer::WordPiece { lowercase, strip_accents } => {
            (0, u32::from(lowercase) | u32::from(strip_accents) << 1)
        }
        Tokenizer::Unigram => (1, 0),
    };
    let pooling = u32::from(shape.pooling == Pooling::First);
    let activation = u32::from(shape.activation == Activation::Relu);
    let mut numbers = vec![kind, flags, pooling, activation];
    let counts =
        [shape.layers, shape.width, shape.inner, shape.heads, shape.positions, shape.vocabulary];
    numbers.extend(counts.map(|count| count as u32));
    let Special { start, end, unknown } = shape.special;
    let name = &name[..name.floor_char_boundary(MAX_NAME_BYTES)];
    numbers.extend([start, end, unknown, shape.epsilon.to_bits(), name.len() as u32]);
    numbers.into_iter().flat_map(u32::to_le_bytes).chain(name.bytes()).collect()
}
