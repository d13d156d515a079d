//! The encoder as others see it.

use crate::bytes::Bytes;
use crate::file::ModelFile;
use crate::kernel::KernelPath;
use crate::pass::TokenBatch;
use crate::shape::USUAL_PIECES;
use crate::{OpenError, built_in, directory, kernel, pieces};
use std::fmt::{self, Debug, Formatter, Write};
use std::fs;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use toolscout_index::Encoder;

/// Counts up whenever other vectors come out of the same weights.
const REVISION: u32 = 1;
/// Texts that one thread takes at a time.
const SHARE: usize = 16;
/// Pieces that go through the layers together, if they are of several texts: weights are read once for all of them.
const TOGETHER: usize = 192;

/// Threads that many texts get, if nobody says how many: a machine has other things to do.
const MOST_THREADS: usize = 4;

/// A sentence encoder. Cheap to clone, and shared by any number of threads.
#[derive(Clone)]
pub struct MiniLm {
    file: Arc<ModelFile>,
    id: Arc<str>,
    limit: usize,
}

impl MiniLm {
    /// The model that comes with the program, all-MiniLM-L6-v2. It is set up on the first call, in well under a millisecond,
    /// and lies in the program's own pages.
    pub fn built_in() -> Result<&'static Self, OpenError> {
        static MODEL: LazyLock<Result<MiniLm, OpenError>> = LazyLock::new(|| {
            let read = ModelFile::read(built_in::bytes()?);
            read.map(MiniLm::of).map_err(|why| OpenError::Broken { path: "the model in the program".into(), why })
        });
        // An error is no news a second time, and cannot be cloned; which of the two it is says all.
        MODEL.as_ref().map_err(|err| match err {
            OpenError::Broken { path, why } => OpenError::Broken { path: path.clone(), why: why.clone() },
            _ => OpenError::NotBuiltIn,
        })
    }

    /// A model of the user's own: a directory as sentence-transformers writes it, or a file that [`MiniLm::save`] wrote.
    ///
    /// A directory's weights are brought to eight bits on the way, which takes a second for each gigabyte or so; a saved file
    /// is read as it is.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let broken = |why| OpenError::Broken { path: path.to_owned(), why };
        if path.is_dir() {
            let bytes = directory::convert(path)?;
            return ModelFile::read(Bytes::Shared(Arc::new(bytes))).map(Self::of).map_err(broken);
        }
        let bytes = fs::read(path).map_err(|cause| OpenError::Unreadable { path: path.to_owned(), cause })?;
        let file = ModelFile::read(Bytes::Shared(Arc::new(bytes))).map_err(broken)?;
        file.verify().map_err(broken)?;
        Ok(Self::of(file))
    }

    /// Writes the model as one file of eight-bit weights. The same model gives the same bytes.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        fs::write(path, &*self.file.bytes)
    }

    /// Looks whether every byte of the model is as it was made. Reads all of it, so this is for tests and tools.
    pub fn verify(&self) -> Result<(), OpenError> {
        self.file.verify().map_err(|why| OpenError::Broken { path: self.file.name.clone().into(), why })
    }

    /// The same model, looking at so many pieces of a text; at most at as many as it has places for, and never at more than 256.
    pub fn looking_at(&self, limit: usize) -> Self {
        Self::limited(Arc::clone(&self.file), limit)
    }

    /// Names these vectors: it changes whenever they would.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How many numbers a vector has.
    pub fn dimensions(&self) -> usize {
        self.file.shape.width
    }

    /// The pieces that the model sees of a text, in its own spelling. How long encoding takes follows their number.
    pub fn pieces(&self, text: &str) -> Vec<String> {
        let piece = |it: u32| self.file.vocabulary.piece(&self.file.bytes, it as usize);
        self.numbers(text).into_iter().map(|it| String::from_utf8_lossy(piece(it)).into_owned()).collect()
    }

    /// What the text means, as a vector of unit length; an empty text means something, too, though not much.
    pub fn encode(&self, text: &str) -> Vec<f32> {
        let mut batch = TokenBatch::default();
        batch.push(&self.numbers(text));
        let mut passed = kernel::run(KernelPath::fastest(), &self.file, &batch);
        passed.vectors.pop().unwrap_or_default()
    }

    /// The same for many texts, in their order, by so many threads. Each vector is the one that [`MiniLm::encode`] gives.
    pub fn encode_all(&self, texts: &[&str], threads: usize) -> Vec<Vec<f32>> {
        self.encode_by(KernelPath::fastest(), texts, threads)
    }

    pub(crate) fn encode_by(&self, path: KernelPath, texts: &[&str], threads: usize) -> Vec<Vec<f32>> {
        let shares: Vec<&[&str]> = texts.chunks(SHARE).collect();
        let threads = threads.clamp(1, shares.len().max(1));
        if threads == 1 {
            return shares.into_iter().flat_map(|it| self.encode_share(path, it)).collect();
        }
        let next = AtomicUsize::new(0);
        let work = || self.take_shares(path, &shares, &next);
        let mut done: Vec<(usize, Vec<Vec<f32>>)> = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let done = others.into_iter().map(|it| it.join().unwrap_or_else(|panic| resume_unwind(panic)));
            done.flatten().chain(own).collect()
        });
        done.sort_unstable_by_key(|(at, _)| *at);
        done.into_iter().flat_map(|(_, vectors)| vectors).collect()
    }

    /// One share after the other, until others have taken the last.
    fn take_shares(&self, path: KernelPath, shares: &[&[&str]], next: &AtomicUsize) -> Vec<(usize, Vec<Vec<f32>>)> {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|it| *it < shares.len());
        std::iter::from_fn(take).map(|at| (at, self.encode_share(path, shares[at]))).collect()
    }

    fn encode_share(&self, path: KernelPath, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch = TokenBatch::default();
        for text in texts {
            let pieces = self.numbers(text);
            if !batch.is_empty() && batch.len() + pieces.len() > TOGETHER {
                vectors.extend(kernel::run(path, &self.file, &batch).vectors);
                batch = TokenBatch::default();
            }
            batch.push(&pieces);
        }
        vectors.extend(kernel::run(path, &self.file, &batch).vectors);
        vectors
    }

    fn numbers(&self, text: &str) -> Vec<u32> {
        pieces::of(&self.file, text, self.limit)
    }

    pub(crate) fn of(file: ModelFile) -> Self {
        Self::limited(Arc::new(file), USUAL_PIECES)
    }

    fn limited(file: Arc<ModelFile>, limit: usize) -> Self {
        let limit = limit.clamp(2, file.shape.places);
        let mut id = format!("{}-", file.name);
        for byte in &file.checksum()[..6] {
            // Writing to a string does not fail.
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

    /// On all cores there are, up to a few: whoever encodes many texts waits for them.
    fn encode_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        self.encode_all(texts, cores.min(MOST_THREADS))
    }
}

impl Debug for MiniLm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("MiniLm").field("id", &self.id).finish_non_exhaustive()
    }
}
