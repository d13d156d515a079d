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
const EMPTY_REFERENCE: &str = "${TOOLSCOUT_PLAIN:-}";

/// The text in our syntax; remarks for the user are added to `notes`.
pub(super) fn translate(text: &str, context: &TextContext<'_>, notes: &mut Vec<String>) -> String {
    if let (VariableSyntax::Curly, Some(path)) =
        (context.syntax, strip_delimiters(text, "{file:", "}"))
    {
        return format!("file:{}", context.file(path).display());
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, reference, after)) = split_at_reference(rest, context.syntax) {
        out += &escape_text(before);
        out += &translate_reference(reference, context, notes);
        rest = after;
    }
    out += &escape_text(rest);
    match single_variable(&out) {
        Some(name) => format!("env:{name}"),
        None if looks_like_reference(text) => {
            notes.push(format!(
                "a value that starts with `{}` gets the prefix `{EMPTY_REFERENCE}`, so that it is not read as a reference",
                scheme(text)
            ));
            EMPTY_REFERENCE.to_owned() + &out
        }
        None => out,
    }
}

/// The nearest valid variable name for this text.
pub(super) fn variable_name(text: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = text.chars().map(word).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        format!("_{name}")
    } else {
        name
    }
}

pub(super) fn is_variable_name(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(word) && text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
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
fn split_at_reference(
    text: &str,
    syntax: VariableSyntax,
) -> Option<(&str, VariableReference<'_>, &str)> {
    let mut from = 0;
    while let Some(found) = text[from..].find(['$', '{']).map(|index| from + index) {
        let rest = &text[found..];
        let inner = |opening: &str| rest.strip_prefix(opening)?.split_once('}');
        let reference = match syntax {
            VariableSyntax::Plain => {
                inner("${").filter(|_| found == 0 && rest.find('}') == Some(rest.len() - 1))
            }
            VariableSyntax::Braces | VariableSyntax::Dollar => inner("${"),
            VariableSyntax::Curly => inner("{")
                .filter(|(value, _)| value.starts_with("env:") || value.starts_with("file:")),
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
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(rest.len() - 1);
                if is_variable_name(&rest[1..=end]) {
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

fn translate_reference(
    reference: VariableReference<'_>,
    context: &TextContext<'_>,
    notes: &mut Vec<String>,
) -> String {
    match reference {
        VariableReference::Dollar(name) => format!("${{{name}}}"),
        VariableReference::Braces(inner) => translate_braces(inner, context, notes),
        VariableReference::Curly(inner) => match inner.strip_prefix("env:") {
            Some(name) if is_variable_name(name) => format!("${{{name}}}"),
            _ => {
                notes.push(format!("`{{{inner}}}` cannot be part of a longer value; use `file:PATH` for the whole value"));
                format!("{{{inner}}}")
            }
        },
    }
}

fn translate_braces(inner: &str, context: &TextContext<'_>, notes: &mut Vec<String>) -> String {
    let (expression, _) = inner.split_once(":-").unwrap_or((inner, ""));
    let name = expression.strip_prefix("env:").unwrap_or(expression);
    match expression {
        // Servers start in the project root, so this is the working directory.
        "workspaceFolder" | "workspaceRoot" => ".".to_owned(),
        "workspaceFolderBasename" => {
            context.project.file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        "userHome" => "${HOME}".to_owned(),
        "pathSeparator" | "/" => "/".to_owned(),
        _ if is_variable_name(name) => {
            format!("${{{}}}", inner.strip_prefix("env:").unwrap_or(inner))
        }
        _ if expression.starts_with("input:") => {
            let name = variable_name(&expression["input:".len()..]);
            notes.push(format!(
                "`${{{expression}}}` prompts for a value, which toolscout cannot do: export {name} instead"
            ));
            format!("${{{name}}}")
        }
        // `${}` and `${a.b}` are not references in our syntax either.
        _ if !expression.contains(':') => format!("${{{inner}}}"),
        _ => {
            notes.push(format!(
                "`${{{inner}}}` works only in that program: replace it before you use the server"
            ));
            format!("${{{inner}}}")
        }
    }
}

/// Escapes text without references, so that it contains none.
fn escape_text(text: &str) -> String {
    text.replace("${", "$${")
}

/// The name, if the text is exactly one variable.
fn single_variable(text: &str) -> Option<&str> {
    strip_delimiters(text, "${", "}").filter(|value| is_variable_name(value))
}

fn strip_delimiters<'a>(text: &'a str, opening: &str, closing: &str) -> Option<&'a str> {
    text.strip_prefix(opening)?.strip_suffix(closing).filter(|rest| !rest.contains(closing))
}

fn looks_like_reference(text: &str) -> bool {
    matches!(scheme(text), "env:" | "keyring:")
        || (scheme(text) == "file:" && !text.starts_with("file://"))
}

fn scheme(text: &str) -> &str {
    text.find(':').map_or("", |at| &text[..=at])
}
