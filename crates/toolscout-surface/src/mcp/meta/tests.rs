//! What agents see of a catalog, case by case; each file opens with what it proves.

mod definitions;
mod execute;
mod search;
