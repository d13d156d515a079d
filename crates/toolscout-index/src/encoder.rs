//! The interface of sentence encoders.

/// Maps texts to vectors; similar texts have vectors that are close to each other.
pub trait Encoder: Send + Sync {
    /// The id of the vector space: vectors of different ids cannot be compared.
    fn id(&self) -> &str;
    /// The number of dimensions of a vector.
    fn dimensions(&self) -> usize;
    /// The vector of a text, normalized to length one.
    fn encode(&self, text: &str) -> Vec<f32>;

    /// The vectors of many texts.
    fn encode_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        texts.iter().map(|text| self.encode(text)).collect()
    }
}
