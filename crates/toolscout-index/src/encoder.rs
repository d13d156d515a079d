//! What turns texts into vectors, wherever it comes from.

/// Gives texts places in a space in which near means alike.
pub trait Encoder: Send + Sync {
    /// Names the space: vectors of two names cannot be compared.
    fn id(&self) -> &str;
    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;
    /// The vector of a text, of length one.
    fn encode(&self, text: &str) -> Vec<f32>;

    /// The vectors of many texts.
    fn encode_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        texts.iter().map(|it| self.encode(it)).collect()
    }
}
