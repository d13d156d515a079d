//! The public interface of the encoder.

use crate::bytes::Bytes;
use crate::file::ModelFile;
use crate::kernel::KernelPath;
use crate::pass::TokenBatch;
use crate::shape::DEFAULT_TOKENS;
use crate::{OpenError, built_in, directory, kernel, tokens};
use std::fmt::{self, Debug, Formatter, Write};
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use toolscout_index::Encoder;

/// Increases whenever the same weights produce other vectors.
const REVISION: u32 = 1;
/// Texts that one thread takes at a time.
const SHARE: usize = 16;
/// Maximum number of tokens in a batch of several texts: the weights are read once for all of them.
const MAX_BATCH_TOKENS: usize = 192;

/// Default maximum number of threads for many texts, to leave cores for other work.
const MAX_THREADS: usize = 4;

/// A sentence encoder. Cheap to clone, and shared by any number of threads.
#[derive(Clone)]
pub struct MiniLm {
    file: Arc<ModelFile>,
    id: Arc<str>,
    limit: usize,
}

impl MiniLm {
    /// The built-in model, all-MiniLM-L6-v2. It is initialized on the first call, in well under a
    /// millisecond, and stays in the program's own pages.
    pub fn built_in() -> Result<&'static Self, OpenError> {
        static MODEL: LazyLock<Result<MiniLm, OpenError>> = LazyLock::new(|| {
            let read = ModelFile::read(built_in::bytes()?);
            read.map(MiniLm::new)
                .map_err(|why| OpenError::Broken { path: "the built-in model".into(), why })
        });
        // The error cannot be cloned, so it is rebuilt; only these two variants occur.
        MODEL.as_ref().map_err(|err| match err {
            OpenError::Broken { path, why } => {
                OpenError::Broken { path: path.clone(), why: why.clone() }
            }
            _ => OpenError::NotBuiltIn,
        })
    }

    /// Opens a model of the user: a directory in the format of sentence-transformers, or a file
    /// written by [`MiniLm::save`].
    ///
    /// The weights of a directory are quantized to int8, which takes about a second per gigabyte; a
    /// saved file is used as is.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let broken = |why| OpenError::Broken { path: path.to_owned(), why };
        if path.is_dir() {
            let bytes = directory::convert(path)?;
            return ModelFile::read(Bytes::Shared(Arc::new(bytes))).map(Self::new).map_err(broken);
        }
        let bytes = fs::read(path)
            .map_err(|cause| OpenError::Unreadable { path: path.to_owned(), cause })?;
        let file = ModelFile::read(Bytes::Shared(Arc::new(bytes))).map_err(broken)?;
        file.verify().map_err(broken)?;
        Ok(Self::new(file))
    }

    /// Writes the model as one file of int8 weights. The same model gives the same bytes.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        fs::write(path, &*self.file.bytes)
    }

    /// Checks every byte of the model. Reads all of it, so this is for tests and tools.
    pub fn verify(&self) -> Result<(), OpenError> {
        self.file
            .verify()
            .map_err(|why| OpenError::Broken { path: self.file.name.clone().into(), why })
    }

    /// The same model with another limit for the tokens of a text; at most as many as the model has
    /// positions, and never more than 256.
    pub fn looking_at(&self, limit: usize) -> Self {
        Self::limited(Arc::clone(&self.file), limit)
    }

    /// Identifies the vector space; changes whenever the vectors change.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The number of dimensions of a vector.
    pub fn dimensions(&self) -> usize {
        self.file.shape.width
    }

    /// The tokens of a text, as spelled in the vocabulary. Their number determines the time of
    /// encoding.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let token = |number: u32| self.file.vocabulary.token(&self.file.bytes, number as usize);
        self.numbers(text)
            .into_iter()
            .map(|number| String::from_utf8_lossy(token(number)).into_owned())
            .collect()
    }

    /// The embedding of the text, normalized to unit length. An empty text has an embedding as
    /// well.
    pub fn encode(&self, text: &str) -> Vec<f32> {
        let mut batch = TokenBatch::default();
        batch.push(&self.numbers(text));
        let mut passed = kernel::run(KernelPath::fastest(), &self.file, &batch);
        passed.vectors.pop().unwrap_or_default()
    }

    /// The embeddings of many texts, in their order, on this many threads. Each vector equals that
    /// of [`MiniLm::encode`].
    pub fn encode_all(&self, texts: &[&str], threads: usize) -> Vec<Vec<f32>> {
        self.encode_by(KernelPath::fastest(), texts, threads)
    }

    pub(crate) fn encode_by(
        &self,
        path: KernelPath,
        texts: &[&str],
        threads: usize,
    ) -> Vec<Vec<f32>> {
        let shares: Vec<&[&str]> = texts.chunks(SHARE).collect();
        let threads = threads.clamp(1, shares.len().max(1));
        if threads == 1 {
            return shares.into_iter().flat_map(|share| self.encode_share(path, share)).collect();
        }
        let next = AtomicUsize::new(0);
        let work = || self.take_shares(path, &shares, &next);
        let mut done: Vec<(usize, Vec<Vec<f32>>)> = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let done = others
                .into_iter()
                .map(|item| item.join().unwrap_or_else(|panic| resume_unwind(panic)));
            done.flatten().chain(own).collect()
        });
        done.sort_unstable_by_key(|(at, _)| *at);
        done.into_iter().flat_map(|(_, vectors)| vectors).collect()
    }

    /// Takes shares until none is left.
    fn take_shares(
        &self,
        path: KernelPath,
        shares: &[&[&str]],
        next: &AtomicUsize,
    ) -> Vec<(usize, Vec<Vec<f32>>)> {
        let take =
            || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|value| *value < shares.len());
        std::iter::from_fn(take).map(|at| (at, self.encode_share(path, shares[at]))).collect()
    }

    fn encode_share(&self, path: KernelPath, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch = TokenBatch::default();
        for text in texts {
            let tokens = self.numbers(text);
            if !batch.is_empty() && batch.len() + tokens.len() > MAX_BATCH_TOKENS {
                vectors.extend(kernel::run(path, &self.file, &batch).vectors);
                batch = TokenBatch::default();
            }
            batch.push(&tokens);
        }
        vectors.extend(kernel::run(path, &self.file, &batch).vectors);
        vectors
    }

    fn numbers(&self, text: &str) -> Vec<u32> {
        tokens::tokenize(&self.file, text, self.limit)
    }

    pub(crate) fn new(file: ModelFile) -> Self {
        Self::limited(Arc::new(file), DEFAULT_TOKENS)
    }

    fn limited(file: Arc<ModelFile>, limit: usize) -> Self {
        let limit = limit.clamp(2, file.shape.positions);
        let mut id = format!("{}-", file.name);
        for byte in &file.checksum()[..6] {
            // Writing to a `String` cannot fail.
            let _ = write!(id, "{byte:02x}");
        }
        let _ = write!(id, "-{limit}-{REVISION}");
        Self { file, id: id.into(), limit }
    }
}

impl Encoder for MiniLm {
    fn id(&self) -> &str {
        self.id()
    }

    fn dimensions(&self) -> usize {
        self.dimensions()
    }

    fn encode(&self, text: &str) -> Vec<f32> {
        self.encode(text)
    }

    /// Uses all cores up to `MAX_THREADS`, since the caller waits for the result.
    fn encode_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        self.encode_all(texts, cores.min(MAX_THREADS))
    }
}

impl Debug for MiniLm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("MiniLm").field("id", &self.id).finish_non_exhaustive()
    }
}
