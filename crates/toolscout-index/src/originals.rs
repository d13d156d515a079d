//! The approved tools that a tool of an unapproved source copies.

use crate::Index;
use crate::fields::IndexField;
use hashbrown::{HashMap, HashSet};
use toolscout_core::ToolId;

/// Minimum share of the words of an approved tool that make another one its copy.
const MIN_SHARE: f64 = 0.8;
/// Tools with fewer words are too short to be recognized by them.
const MIN_WORDS: usize = 4;
/// Number of the rarest words of a tool by which its originals are looked up.
const LOOKUP_WORDS: usize = 8;
/// Maximum number of tools examined for one word; a word of more tools is not rare.
const MAX_TOOLS: usize = 256;

/// By unapproved tool: the approved tools with the same name, or with nearly the same words.
#[derive(Debug, Default)]
pub(crate) struct Originals(HashMap<u32, Vec<u32>>);

impl Originals {
    pub(crate) fn find(index: &Index) -> Self {
        let all = 0..index.tools.all.len() as u32;
        let is_approved = |tool: &u32| index.tools.is_approved(*tool);
        let unapproved: Vec<u32> = all.clone().filter(|tool| !is_approved(tool)).collect();
        if unapproved.is_empty() {
            return Self::default();
        }
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
        for tool in all.filter(is_approved) {
            by_name.entry(plain_name(index.tools.id(tool))).or_default().push(tool);
        }
        let of_tool = |tool: u32| {
            let named = by_name.get(&plain_name(index.tools.id(tool))).cloned().unwrap_or_default();
            let mut originals = with_same_words(index, tool);
            originals.extend(named);
            originals.sort_unstable();
            originals.dedup();
            (tool, originals)
        };
        let found = unapproved.into_iter().map(of_tool);
        Self(found.filter(|(_, originals)| !originals.is_empty()).collect())
    }

    /// The originals of this tool; none if it is no copy.
    pub(crate) fn of(&self, tool: u32) -> &[u32] {
        self.0.get(&tool).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The name without case and separators.
fn plain_name(id: &ToolId) -> String {
    let letters = id.name.as_str().chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The approved tools most of whose words this tool has.
fn with_same_words(index: &Index, tool: u32) -> Vec<u32> {
    let lexical = &index.data.lexical;
    let mut words = words_of(index, tool);
    words.sort_by_key(|term| lexical.postings(*term).len());
    let known: HashSet<u32> = words.iter().copied().collect();
    let rarest = words.into_iter().take(LOOKUP_WORDS);
    let candidates = rarest.flat_map(|term| lexical.postings(term).iter().take(MAX_TOOLS));
    let mut candidates: Vec<u32> =
        candidates.map(|posting| crate::lexical::unpack(*posting).0).collect();
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|other| index.tools.is_approved(*other) && is_covered(index, *other, &known));
    candidates
}

fn is_covered(index: &Index, tool: u32, words: &HashSet<u32>) -> bool {
    let own = words_of(index, tool);
    let shared = own.iter().filter(|term| words.contains(*term)).count();
    own.len() >= MIN_WORDS && shared as f64 >= own.len() as f64 * MIN_SHARE
}

/// The words of the tool itself, without those of its source.
fn words_of(index: &Index, tool: u32) -> Vec<u32> {
    let of_source = IndexField::Source.bit() | IndexField::About.bit();
    let terms = index.data.lexical.terms_of(tool);
    terms.filter(|entry| entry.fields & !of_source != 0).map(|entry| entry.term).collect()
}
