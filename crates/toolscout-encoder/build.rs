//! Checks for the model file: a crate from a registry does not contain it, a checkout and a release
//! do.

use std::path::Path;

const MODEL: &str = "model/all-minilm-l6-v2.model";

fn main() {
    println!("cargo::rerun-if-changed={MODEL}");
    println!("cargo::rustc-check-cfg=cfg(has_model)");
    if std::env::var_os("CARGO_FEATURE_BUILT_IN").is_none() {
        return;
    }
    if Path::new(MODEL).is_file() {
        println!("cargo::rustc-cfg=has_model");
    } else {
        println!("cargo::warning={MODEL} is missing, so semantic search needs a model directory");
    }
}
