//! Estimates the work of matching a pattern.
//!
//! The engine runs in linear time, so a hostile pattern cannot backtrack. But `(a{50}){50}` is a
//! pattern of 2500 states, and the engine examines all of them for every character. This module
//! counts states approximately, without building anything.

use std::iter::Peekable;
use std::str::Chars;

/// A set of characters takes about this many states, because texts are UTF-8.
const SET_STATES: u64 = 8;

/// The approximate number of states of the pattern with its repetitions written out. Unrecognized
/// syntax counts as literal characters.
pub(super) fn states(pattern: &str) -> u64 {
    let mut open = vec![PatternGroup::default()];
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '(' => open.push(PatternGroup::default()),
            ')' if open.len() > 1 => {
                let inner = open.pop().unwrap_or_default();
                innermost(&mut open).add(inner.states);
            }
            '{' => innermost(&mut open).repeat(read_repetitions(&mut rest)),
            '*' | '+' | '?' => innermost(&mut open).repeat(2),
            '[' => {
                skip_set(&mut rest);
                innermost(&mut open).add(SET_STATES);
            }
            '\\' => {
                let is_set =
                    matches!(rest.next(), Some('w' | 'W' | 'd' | 'D' | 's' | 'S' | 'p' | 'P'));
                innermost(&mut open).add(if is_set { SET_STATES } else { 1 });
            }
            '.' => innermost(&mut open).add(SET_STATES),
            _ => innermost(&mut open).add(1),
        }
    }
    open.iter().fold(1, |sum, group| sum.saturating_add(group.states))
}

#[derive(Default)]
struct PatternGroup {
    states: u64,
    /// The states of the last element, which a repetition applies to.
    last: u64,
}

impl PatternGroup {
    fn add(&mut self, states: u64) {
        self.states = self.states.saturating_add(states);
        self.last = states;
    }

    fn repeat(&mut self, times: u64) {
        let all = self.last.saturating_mul(times);
        self.states = self.states.saturating_add(all.saturating_sub(self.last));
        self.last = all.max(self.last);
    }
}

/// The stack is never empty: `)` pops only groups that `(` has pushed.
fn innermost(open: &mut [PatternGroup]) -> &mut PatternGroup {
    let at = open.len() - 1;
    &mut open[at]
}

/// After `{`: the maximum number of repetitions; `{3,}` is three and then a loop.
fn read_repetitions(rest: &mut Peekable<Chars<'_>>) -> u64 {
    let (mut most, mut now) = (1, None);
    while let Some(c) = rest.next_if(|c| c.is_ascii_digit() || *c == ',') {
        now = c
            .to_digit(10)
            .map(|digit| now.unwrap_or(0u64).saturating_mul(10).saturating_add(digit.into()));
        most = most.max(now.unwrap_or(1));
    }
    rest.next_if_eq(&'}');
    most.saturating_add(1)
}

fn skip_set(rest: &mut Peekable<Chars<'_>>) {
    rest.next_if_eq(&'^');
    rest.next_if_eq(&']');
    while let Some(value) = rest.next() {
        match value {
            '\\' => drop(rest.next()),
            ']' => return,
            _ => {}
        }
    }
}
