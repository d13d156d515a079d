//! What kind of model it is, and how large: all that the rest of its file is measured by.

/// Rows of a matrix that lie side by side, and are summed side by side.
pub(crate) const BLOCK: usize = 16;
/// Columns that one instruction multiplies for each row of a block.
pub(crate) const GROUP: usize = 4;

/// The most pieces of a text that are looked at, however many places a model has: time grows with their square.
pub(crate) const MOST_PIECES: usize = 256;
/// As many as are looked at unless somebody asks for more. Tools rarely say anything new after that.
pub(crate) const USUAL_PIECES: usize = 128;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModelShape {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) pooling: Pooling,
    pub(crate) activation: Activation,
    pub(crate) layers: usize,
    pub(crate) width: usize,
    /// How wide a layer gets in its middle.
    pub(crate) inner: usize,
    pub(crate) heads: usize,
    /// How many pieces a text may have, at most.
    pub(crate) places: usize,
    /// How many words and parts of words the model knows.
    pub(crate) vocabulary: usize,
    pub(crate) special: Special,
    /// Added to a variance, so that nothing is divided by zero.
    pub(crate) epsilon: f32,
}

/// How text becomes pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tokenizer {
    /// The longest piece that fits, again and again, word by word.
    WordPiece { lowercase: bool, strip_accents: bool },
    /// Those pieces that are likeliest together.
    Unigram,
}

/// How the vectors of pieces become that of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pooling {
    Mean,
    /// That of the piece before the first word.
    First,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Activation {
    Gelu,
    Relu,
}

/// Pieces that stand for no text, by their place in the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Special {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) unknown: u32,
}

impl ModelShape {
    /// What is impossible about it, if anything: what follows multiplies these numbers, and believes them.
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
