//! Prompts in `prompts/*.md` of a project: found with its tools, and returned with their arguments
//! filled in.
//!
//! ```text
//! ---
//! description: Write release notes
//! arguments:
//!   - name: since
//!     description: The tag to begin with
//!     required: true
//!   - name: tone
//! ---
//! Write release notes for everything since {{since}}. {{tone}}
//! ```
//!
//! The file name is the name of the prompt. The head is YAML; without one, or without `arguments`,
//! the text is returned unchanged.

mod find;
mod head;
mod library;
mod text;

pub(super) use find::find;
pub(super) use library::PromptLibrary;

use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use toolscout_core::RawJson;

/// The prompts folder of a project root.
pub(super) fn folder(root: &Path) -> PathBuf {
    root.join("prompts")
}

/// A prompt text with placeholders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prompt {
    pub(super) name: String,
    title: Option<String>,
    description: Option<String>,
    arguments: Vec<Argument>,
    text: String,
}

/// An argument that fills a placeholder.
#[derive(Debug, Clone, PartialEq)]
struct Argument {
    name: String,
    description: Option<String>,
    is_required: bool,
}

impl Prompt {
    /// Parses a file; the error is a reason for the user.
    fn read(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let (head, text) = head::split(bytes)?;
        let head = head::PromptHead::read(head)?;
        text::check(text, &head.arguments)?;
        let head::PromptHead { title, description, arguments } = head;
        Ok(Self { name: name.to_owned(), title, description, arguments, text: text.to_owned() })
    }

    /// The definition that clients receive from `prompts/list`.
    fn definition(&self) -> RawJson {
        let mut all = json!({"name": self.name});
        let texts = [("title", &self.title), ("description", &self.description)];
        texts
            .into_iter()
            .filter_map(|(key, text)| Some((key, text.as_ref()?)))
            .for_each(|(key, item)| all[key] = item.as_str().into());
        if !self.arguments.is_empty() {
            all["arguments"] = self.arguments.iter().map(Argument::definition).collect();
        }
        RawJson::from_value(&all)
    }

    /// The result of `prompts/get` with these arguments. The error is a reason for the client.
    fn get(&self, arguments: &Map<String, Value>) -> Result<RawJson, String> {
        let known: Vec<&str> =
            self.arguments.iter().map(|argument| argument.name.as_str()).collect();
        if let Some(unknown) = arguments.keys().find(|key| !known.contains(&key.as_str())) {
            let suggestion = super::document::did_you_mean(unknown, &known);
            return Err(format!("prompt `{}` has no argument `{unknown}`{suggestion}", self.name));
        }
        let missing = self
            .arguments
            .iter()
            .filter(|argument| argument.is_required && !arguments.contains_key(&argument.name));
        let missing: Vec<_> = missing.map(|missing| format!("`{}`", missing.name)).collect();
        if !missing.is_empty() {
            return Err(format!("prompt `{}` requires {}", self.name, missing.join(" and ")));
        }
        let text = if known.is_empty() {
            self.text.clone()
        } else {
            text::fill(&self.text, &known, arguments)
        };
        let mut all =
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]});
        if let Some(description) = &self.description {
            all["description"] = description.as_str().into();
        }
        Ok(RawJson::from_value(&all))
    }
}

impl Argument {
    fn definition(&self) -> Value {
        let mut all = json!({"name": self.name, "required": self.is_required});
        if let Some(description) = &self.description {
            all["description"] = description.as_str().into();
        }
        all
    }
}
