//! Converts variables in texts of other programs to our syntax; their values are never looked up.

use std::path::{Path, PathBuf};

/// The syntax of variables in a program's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableSyntax {
    /// No variables. Only a text that consists of `${NAME}` is treated as one.
    Plain,
    /// `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, `${workspaceFolder}` and its like.
    Braces,
    /// Like `Braces`, and `$NAME`.
    Dollar,
    /// `{env:NAME}` and `{file:PATH}`.
    Curly,
}

/// The context of the variables in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextContext<'a> {
    pub syntax: VariableSyntax,
    /// The folder of the file being read.
    pub folder: &'a Path,
    pub home: Option<&'a Path>,
    pub project: &'a Path,
}

/// Expands to the empty string; placed before a text that would otherwise be parsed as a reference.
const NOTHING: &str = "${TOOLSCOUT_PLAIN:-}";

/// The text in our syntax; remarks for the user are added to `notes`.
pub(super) fn ours(text: &str, place: &TextContext<'_>, notes: &mut Vec<String>) -> String {
    if let (VariableSyntax::Curly, Some(path)) = (place.syntax, whole(text, "{file:", "}")) {
        return format!("file:{}", place.file(path).display());
    }
    let mut out = String::new();
    let mut left = text;
    while let Some((before, reference, after)) = next(left, place.syntax) {
        out += &plain(before);
        out += &translated(reference, place, notes);
        left = after;
    }
    out += &plain(left);
    match single(&out) {
        Some(name) => format!("env:{name}"),
        None if starts_like_a_reference(text) => {
            notes.push(format!(
                "a text that starts with `{}` gets `{NOTHING}` before it, to stay a text",
                prefix(text)
            ));
            NOTHING.to_owned() + &out
        }
        None => out,
    }
}

/// The nearest valid variable name for this text.
pub(super) fn variable(text: &str) -> String {
    let word = |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' };
    let name: String = text.chars().map(word).collect();
    if name.starts_with(|it: char| it.is_ascii_digit()) || name.is_empty() {
        format!("_{name}")
    } else {
        name
    }
}

pub(super) fn is_name(text: &str) -> bool {
    let word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    text.bytes().all(word) && text.bytes().next().is_some_and(|it| !it.is_ascii_digit())
}

impl TextContext<'_> {
    /// A path in the file being read, made absolute.
    pub(super) fn file(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(path.strip_prefix("./").unwrap_or(path)),
        }
    }
}

/// Text with the form of a reference.
enum VariableReference<'a> {
    /// The text between `${` and `}`.
    Braces(&'a str),
    /// `$NAME`.
    Dollar(&'a str),
    /// The text between `{` and `}`.
    Curly(&'a str),
}

/// Splits the text at its first reference.
fn next(text: &str, syntax: VariableSyntax) -> Option<(&str, VariableReference<'_>, &str)> {
    let mut from = 0;
    while let Some(found) = text[from..].find(['$', '{']).map(|it| from + it) {
        let rest = &text[found..];
        let inner = |opening: &str| rest.strip_prefix(opening)?.split_once('}');
        let reference = match syntax {
            VariableSyntax::Plain => {
                inner("${").filter(|_| found == 0 && rest.find('}') == Some(rest.len() - 1))
            }
            VariableSyntax::Braces | VariableSyntax::Dollar => inner("${"),
            VariableSyntax::Curly => {
                inner("{").filter(|(it, _)| it.starts_with("env:") || it.starts_with("file:"))
            }
        };
        match reference {
            Some((inner, after)) if syntax == VariableSyntax::Curly => {
                return Some((&text[..found], VariableReference::Curly(inner), after));
            }
            Some((inner, after)) => {
                return Some((&text[..found], VariableReference::Braces(inner), after));
            }
            None if syntax == VariableSyntax::Dollar && rest.starts_with('$') => {
                let end = rest[1..]
                    .find(|it: char| !it.is_ascii_alphanumeric() && it != '_')
                    .unwrap_or(rest.len() - 1);
                if is_name(&rest[1..=end]) {
                    return Some((
                        &text[..found],
                        VariableReference::Dollar(&rest[1..=end]),
                        &rest[end + 1..],
                    ));
                }
            }
            None => {}
        }
        from = found + 1;
    }
    None
}

fn translated(
    reference: VariableReference<'_>,
    place: &TextContext<'_>,
    notes: &mut Vec<String>,
) -> String {
    match reference {
        VariableReference::Dollar(name) => format!("${{{name}}}"),
        VariableReference::Braces(inner) => braces(inner, place, notes),
        VariableReference::Curly(inner) => match inner.strip_prefix("env:") {
            Some(name) if is_name(name) => format!("${{{name}}}"),
            _ => {
                notes.push(format!("`{{{inner}}}` cannot be part of a text here; write the whole text as `file:PATH`"));
                format!("{{{inner}}}")
            }
        },
    }
}

fn braces(inner: &str, place: &TextContext<'_>, notes: &mut Vec<String>) -> String {
    let (said, _) = inner.split_once(":-").unwrap_or((inner, ""));
    let name = said.strip_prefix("env:").unwrap_or(said);
    match said {
        // Servers start in the project root, so this is the working directory.
        "workspaceFolder" | "workspaceRoot" => ".".to_owned(),
        "workspaceFolderBasename" => {
            place.project.file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        "userHome" => "${HOME}".to_owned(),
        "pathSeparator" | "/" => "/".to_owned(),
        _ if is_name(name) => format!("${{{}}}", inner.strip_prefix("env:").unwrap_or(inner)),
        _ if said.starts_with("input:") => {
            let name = variable(&said["input:".len()..]);
            notes.push(format!(
                "`${{{said}}}` prompts for a value there, which toolscout cannot do: export {name} instead"
            ));
            format!("${{{name}}}")
        }
        // `${}` and `${a.b}` are not references in our syntax either.
        _ if !said.contains(':') => format!("${{{inner}}}"),
        _ => {
            notes.push(format!(
                "`${{{inner}}}` exists only in that program: replace it before you use the server"
            ));
            format!("${{{inner}}}")
        }
    }
}

/// Escapes text without references, so that it contains none.
fn plain(text: &str) -> String {
    text.replace("${", "$${")
}

/// The name, if the text is exactly one variable.
fn single(text: &str) -> Option<&str> {
    whole(text, "${", "}").filter(|it| is_name(it))
}

fn whole<'a>(text: &'a str, opening: &str, closing: &str) -> Option<&'a str> {
    text.strip_prefix(opening)?.strip_suffix(closing).filter(|it| !it.contains(closing))
}

fn starts_like_a_reference(text: &str) -> bool {
    matches!(prefix(text), "env:" | "keyring:")
        || (prefix(text) == "file:" && !text.starts_with("file://"))
}

fn prefix(text: &str) -> &str {
    text.find(':').map_or("", |at| &text[..=at])
}
