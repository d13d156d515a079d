//! The meta tools as agents see them, case by case. Each file starts with the properties it proves.

mod definitions;
mod execute;
mod search;
