//! The terms of all tools, sorted and numbered.

use std::collections::HashMap;

/// Sorted words; the number of a word is its position. All words share one text, to avoid ten
/// thousand allocations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TermVocabulary {
    pub(crate) text: String,
    /// The end of each word in the text.
    pub(crate) ends: Vec<u32>,
}

impl TermVocabulary {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the ends are sorted, on character boundaries and within the text.
    pub(crate) fn is_consistent(&self) -> bool {
        let mut ends = self.ends.iter().map(|end| *end as usize);
        self.ends.is_sorted()
            && ends.clone().all(|end| self.text.is_char_boundary(end))
            && ends.next_back().unwrap_or_default() == self.text.len()
    }

    pub(crate) fn word(&self, number: u32) -> &str {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.text[start..self.ends[at] as usize]
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..self.len() as u32).map(|index| (index, self.word(index)))
    }

    pub(crate) fn number(&self, word: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low.midpoint(high);
            match self.word(middle).cmp(word) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn push(&mut self, word: &str) -> u32 {
        self.text.push_str(word);
        self.ends.push(self.text.len() as u32);
        self.len() as u32 - 1
    }

    /// Merges the words of `known` that are still used with the new ones. Returns the new number of
    /// each word of both.
    pub(crate) fn merged(
        known: &Self,
        is_used: &[bool],
        new: &NewTerms,
    ) -> (Self, Vec<u32>, Vec<u32>) {
        let mut fresh: Vec<(&str, u32)> =
            new.numbers.iter().map(|(word, number)| (&**word, *number)).collect();
        fresh.sort_unstable();
        let mut fresh = fresh.into_iter().peekable();
        let mut all = Self::default();
        let (mut known_numbers, mut new_numbers) =
            (vec![u32::MAX; known.len()], vec![u32::MAX; new.numbers.len()]);
        for (number, word) in known.words() {
            while let Some((other, at)) = fresh.next_if(|(other, _)| *other < word) {
                new_numbers[at as usize] = all.push(other);
            }
            let same = fresh.next_if(|(other, _)| *other == word);
            if is_used[number as usize] || same.is_some() {
                let now = all.push(word);
                known_numbers[number as usize] = now;
                if let Some((_, at)) = same {
                    new_numbers[at as usize] = now;
                }
            }
        }
        for (other, at) in fresh {
            new_numbers[at as usize] = all.push(other);
        }
        (all, known_numbers, new_numbers)
    }
}

/// New words, numbered in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct NewTerms {
    numbers: HashMap<Box<str>, u32>,
}

impl NewTerms {
    pub(crate) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(word.into(), number);
        number
    }
}
