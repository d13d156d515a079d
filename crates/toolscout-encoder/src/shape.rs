//! The kind and the dimensions of a model, which determine the layout of its file.

/// Rows of a matrix that are interleaved and summed together.
pub(crate) const BLOCK: usize = 16;
/// Columns that one instruction multiplies for each row of a block.
pub(crate) const GROUP: usize = 4;

/// Maximum number of tokens of a text, however many positions a model has: time grows with their
/// square.
pub(crate) const MAX_TOKENS: usize = 256;
/// Default number of tokens. Descriptions of tools rarely add information after that.
pub(crate) const DEFAULT_TOKENS: usize = 128;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModelShape {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) pooling: Pooling,
    pub(crate) activation: Activation,
    pub(crate) layers: usize,
    pub(crate) width: usize,
    /// The inner width of the feed-forward part.
    pub(crate) inner: usize,
    pub(crate) heads: usize,
    /// The number of positions, which limits the tokens of a text.
    pub(crate) positions: usize,
    /// The number of words and parts of words.
    pub(crate) vocabulary: usize,
    pub(crate) special: Special,
    /// Added to a variance, to avoid a division by zero.
    pub(crate) epsilon: f32,
}

/// How text is split into tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tokenizer {
    /// Splits off the longest matching token repeatedly, word by word.
    WordPiece { lowercase: bool, strip_accents: bool },
    /// Finds the most probable sequence of tokens.
    Unigram,
}

/// How the vectors of tokens become that of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pooling {
    Mean,
    /// The vector of the start token.
    First,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Activation {
    Gelu,
    Relu,
}

/// Tokens that stand for no text, by their rank in the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Special {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) unknown: u32,
}

impl ModelShape {
    /// The first impossible number, if any. Later code multiplies these numbers without checks.
    pub(crate) fn invalid_number(&self) -> Option<String> {
        let limits = [
            ("layers", self.layers, 1, 64),
            ("width", self.width, 1, 4096),
            ("inner width", self.inner, 1, 16_384),
            ("heads", self.heads, 1, 256),
            ("positions", self.positions, 2, MAX_TOKENS),
            ("vocabulary", self.vocabulary, 1, 4_000_000),
        ];
        let out_of_range =
            limits.iter().find(|(_, value, least, most)| value < least || value > most);
        if let Some((what, value, least, most)) = out_of_range {
            return Some(format!("`{what}` is {value}; it must be from {least} to {most}"));
        }
        if !self.width.is_multiple_of(self.heads) {
            return Some(format!(
                "width {} is not a multiple of its {} heads",
                self.width, self.heads
            ));
        }
        let Special { start, end, unknown } = self.special;
        let unknown_token =
            [start, end, unknown].into_iter().find(|item| *item as usize >= self.vocabulary);
        unknown_token.map(|unknown_token| {
            format!(
                "special token {unknown_token} is outside its vocabulary of {}",
                self.vocabulary
            )
        })
    }

    pub(crate) fn head_width(&self) -> usize {
        self.width / self.heads
    }
}
