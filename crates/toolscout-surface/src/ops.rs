//! What can be asked, one file each: the shape on the wire, and the words for people.

pub mod call;
pub mod list;
pub mod search;
pub mod servers;

#[cfg(test)]
mod tests;
