//! Dot products of int8 numbers with the fastest available instructions; every kernel gives the
//! same integers.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::file::ModelFile;
use crate::pass::{self, Passed, TokenBatch};
use portable::Portable;
use std::sync::LazyLock;

/// The available kernels. Support by the processor is detected once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KernelPath {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl KernelPath {
    /// The fastest kernel that this processor supports.
    pub(crate) fn fastest() -> Self {
        static FASTEST: LazyLock<KernelPath> =
            LazyLock::new(|| KernelPath::all().pop().unwrap_or(KernelPath::Portable));
        *FASTEST
    }

    /// All kernels that this processor supports, the fastest last.
    pub(crate) fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let special =
            [x86::Avx2::here().map(|_| Self::Avx2), x86::Avx512::here().map(|_| Self::Avx512)];
        #[cfg(not(target_arch = "x86_64"))]
        let special: [Option<Self>; 0] = [];
        std::iter::once(Self::Portable).chain(special.into_iter().flatten()).collect()
    }
}

/// Runs the texts through the model with this kernel, or with the portable one if the processor
/// does not support it.
pub(crate) fn run(path: KernelPath, file: &ModelFile, batch: &TokenBatch) -> Passed {
    match path {
        #[cfg(target_arch = "x86_64")]
        KernelPath::Avx512 if let Some(kernel) = x86::Avx512::here() => kernel.run(file, batch),
        #[cfg(target_arch = "x86_64")]
        KernelPath::Avx2 if let Some(kernel) = x86::Avx2::here() => kernel.run(file, batch),
        _ => pass::run(Portable, file, batch),
    }
}
