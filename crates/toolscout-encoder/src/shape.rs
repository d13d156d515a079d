//! The kind and the dimensions of a model, which determine the layout of its file.

/// Rows of a matrix that are interleaved and summed together.
pub(crate) const BLOCK: usize = 16;
/// Columns that one instruction multiplies for each row of a block.
pub(crate) const GROUP: usize = 4;

/// Maximum number of pieces of a text, however many positions a model has: time grows with their
/// square.
pub(crate) const MOST_PIECES: usize = 256;
/// Default number of pieces. Descriptions of tools rarely add information after that.
pub(crate) const USUAL_PIECES: usize = 128;

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
    /// The number of positions, which limits the pieces of a text.
    pub(crate) places: usize,
    /// The number of words and parts of words.
    pub(crate) vocabulary: usize,
    pub(crate) special: Special,
    /// Added to a variance, to avoid a division by zero.
    pub(crate) epsilon: f32,
}

/// How text is split into pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tokenizer {
    /// Splits off the longest matching piece repeatedly, word by word.
    WordPiece { lowercase: bool, strip_accents: bool },
    /// Finds the most probable sequence of pieces.
    Unigram,
}

/// How the vectors of pieces become that of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pooling {
    Mean,
    /// The vector of the start piece.
    First,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Activation {
    Gelu,
    Relu,
}

/// Pieces that stand for no text, by their rank in the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Special {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) unknown: u32,
}

impl ModelShape {
    /// The first impossible number, if any. Later code multiplies these numbers without checks.
    pub(crate) fn fault(&self) -> Option<String> {
        let within = [
            ("layers", self.layers, 1, 64),
            ("width", self.width, 1, 4096),
            ("inner width", self.inner, 1, 16_384),
            ("heads", self.heads, 1, 256),
            ("places", self.places, 2, MOST_PIECES),
            ("vocabulary", self.vocabulary, 1, 4_000_000),
        ];
        let odd = within.iter().find(|(_, value, least, most)| value < least || value > most);
        if let Some((what, value, least, most)) = odd {
            return Some(format!("{value} {what}, where {least} to {most} are possible"));
        }
        if !self.width.is_multiple_of(self.heads) {
            return Some(format!("a width of {} in {} heads", self.width, self.heads));
        }
        let Special { start, end, unknown } = self.special;
        let stranger = [start, end, unknown].into_iter().find(|it| *it as usize >= self.vocabulary);
        stranger.map(|it| format!("piece {it} of {}", self.vocabulary))
    }

    pub(crate) fn head_width(&self) -> usize {
        self.width / self.heads
    }
}
