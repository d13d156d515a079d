//! The first minutes at a terminal: progress, color, aliases, errors as JSON, waiting searches.

mod aliases;
mod errors;
mod index;
mod lists;
mod search;
mod terminal;
