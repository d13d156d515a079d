//! Weights in the safetensors format, read tensor by tensor, since the whole file may be larger
//! than the memory.

use crate::OpenError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Prefixes that some programs add to every name.
const PREFIXES: [&str; 3] = ["", "bert.", "roberta."];
/// Maximum length of the list of tensors in bytes, as in the specification of the format.
const MAX_HEADER_BYTES: u64 = 100_000_000;

pub(super) struct Tensors {
    path: PathBuf,
    file: BufReader<File>,
    tensors: HashMap<String, Tensor>,
    /// The offset of the first tensor's bytes.
    start: u64,
}

#[derive(Clone, Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

/// The number format of a tensor.
#[derive(Clone, Copy)]
enum NumberFormat {
    F32,
    F16,
    Bf16,
}

impl Tensors {
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        let unreadable = |cause| OpenError::Unreadable { path: path.to_owned(), cause };
        let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut len = [0; 8];
        file.read_exact(&mut len).map_err(unreadable)?;
        let len = u64::from_le_bytes(len);
        let broken = |why: String| OpenError::Broken { path: path.to_owned(), why };
        if len > MAX_HEADER_BYTES {
            return Err(broken("it does not start with a list of tensors".to_owned()));
        }
        let mut head = Vec::new();
        file.by_ref().take(len).read_to_end(&mut head).map_err(unreadable)?;
        let head: HashMap<String, Value> =
            serde_json::from_slice(&head).map_err(|err| broken(err.to_string()))?;
        // Other entries are metadata of the file.
        let tensors = head
            .into_iter()
            .filter_map(|(name, item)| Some((name, serde_json::from_value(item).ok()?)))
            .collect();
        Ok(Self { path: path.to_owned(), file, tensors, start: 8 + len })
    }

    /// A tensor of this many numbers, in any shape.
    pub(super) fn all(&mut self, name: &str, count: usize) -> Result<Vec<f32>, OpenError> {
        let mut all = Vec::new();
        self.rows(name, count, |_, values| all.extend_from_slice(values))?;
        if all.len() == count {
            Ok(all)
        } else {
            Err(self.broken(name, &format!("has {} numbers instead of {count}", all.len())))
        }
    }

    /// A tensor in rows of this width.
    pub(super) fn rows(
        &mut self,
        name: &str,
        width: usize,
        mut each: impl FnMut(usize, &[f32]),
    ) -> Result<(), OpenError> {
        let tensor = PREFIXES
            .iter()
            .find_map(|prefix| self.tensors.get(&format!("{prefix}{name}")))
            .cloned();
        let tensor = tensor.ok_or_else(|| self.broken(name, "is missing"))?;
        let kind =
            NumberFormat::from_dtype(&tensor.dtype).ok_or_else(|| OpenError::Unsupported {
                path: self.path.clone(),
                what: format!("weights of type `{}`", tensor.dtype),
            })?;
        let count =
            tensor.shape.iter().try_fold(1usize, |product, shape| product.checked_mul(*shape));
        let rows = count.filter(|count| count.is_multiple_of(width)).map(|count| count / width);
        let rows =
            rows.ok_or_else(|| self.broken(name, &format!("has rows that are not {width} wide")))?;
        let [from, to] = tensor.data_offsets;
        if to.checked_sub(from) != Some((rows * width * kind.size()) as u64) {
            return Err(self.broken(name, "has a size that does not match its shape"));
        }
        self.read_rows(from, rows, width, kind, &mut each)
            .map_err(|cause| OpenError::Unreadable { path: self.path.clone(), cause })
    }

    fn read_rows(
        &mut self,
        from: u64,
        rows: usize,
        width: usize,
        kind: NumberFormat,
        each: &mut impl FnMut(usize, &[f32]),
    ) -> io::Result<()> {
        let at = self.start.checked_add(from).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.file.seek(SeekFrom::Start(at))?;
        // Not preallocated: a broken file may claim more bytes than there is memory.
        let mut bytes = Vec::new();
        for row in 0..rows {
            bytes.clear();
            let row_bytes = width * kind.size();
            if self.file.by_ref().take(row_bytes as u64).read_to_end(&mut bytes)? < row_bytes {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            each(row, &kind.numbers(&bytes));
        }
        Ok(())
    }

    fn broken(&self, name: &str, why: &str) -> OpenError {
        OpenError::Broken { path: self.path.clone(), why: format!("the tensor `{name}` {why}") }
    }
}

impl NumberFormat {
    fn from_dtype(dtype: &str) -> Option<Self> {
        match dtype {
            "F32" => Some(Self::F32),
            "F16" => Some(Self::F16),
            "BF16" => Some(Self::Bf16),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    fn numbers(self, bytes: &[u8]) -> Vec<f32> {
        let pairs = || bytes.as_chunks().0.iter().map(|chunk| u16::from_le_bytes(*chunk));
        match self {
            Self::F32 => {
                bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
            }
            Self::F16 => pairs().map(half).collect(),
            Self::Bf16 => pairs().map(|pair| f32::from_bits(u32::from(pair) << 16)).collect(),
        }
    }
}

/// A 16-bit float: one bit for the sign, five for the exponent, ten for the mantissa.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, rest) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    match exponent {
        0 => sign * rest * 2f32.powi(-24),
        31 if rest == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + rest / 1024.0) * 2f32.powi(exponent - 15),
    }
}
