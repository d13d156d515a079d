//! Synonyms: `picture` for `image`, `buy` for `purchase`.

use crate::Language;
use crate::stems::Stems;
use hashbrown::HashMap;
use std::sync::LazyLock;

/// Synonyms by stem. English only, like nearly all tools.
static GROUPS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let stems = Stems::new(Language::English);
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for line in include_str!("synonyms.txt").lines() {
        let group: Vec<String> =
            line.split_whitespace().map(|word| stems.stem(word).into_owned()).collect();
        for one in &group {
            let known = all.entry(one.clone()).or_default();
            for other in &group {
                if other != one && !known.contains(other) {
                    known.push(other.clone());
                }
            }
        }
    }
    all
});

/// The synonyms of a stem.
pub(crate) fn of_stem(stem: &str) -> &'static [String] {
    GROUPS.get(stem).map_or(&[], Vec::as_slice)
}
