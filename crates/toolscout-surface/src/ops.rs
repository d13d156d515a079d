//! What can be asked, one file each: the shape on the wire, and the words for people.

pub mod call;
pub mod describe;
pub mod journal;
pub mod list;
pub mod search;
pub mod servers;
pub mod stats;

#[cfg(test)]
mod tests;
