//! Texts with their translations, as `English → Japanese`.

use super::{TextKind, UserText};
use proc_macro2::{TokenStream, TokenTree};
use syn::LitStr;

/// Every second line is the translation of the line before it.
pub(super) fn of_file(source: &str) -> Vec<UserText> {
    let mut found = Vec::new();
    let lines = source.lines().enumerate();
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    while let (Some((index, english)), Some((_, translated))) = (lines.next(), lines.next()) {
        found.push(pair(index + 1, english, translated));
    }
    found
}

/// The rows of a `table!`: `Name: "English", "Japanese";`.
pub(super) fn of_table(tokens: TokenStream) -> Vec<UserText> {
    let mut found = Vec::new();
    let mut row: Vec<LitStr> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Literal(_) => row.extend(syn::parse2::<LitStr>(token.into()).ok()),
            TokenTree::Punct(end) if end.as_char() == ';' => {
                if let [english, translated] = &row[..] {
                    let line = english.span().start().line;
                    found.push(pair(line, &english.value(), &translated.value()));
                }
                row.clear();
            }
            _ => {}
        }
    }
    found
}

fn pair(line: usize, english: &str, translated: &str) -> UserText {
    UserText { kind: TextKind::Japanese, line, text: format!("{english} → {translated}") }
}
