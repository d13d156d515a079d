//! Verbs in the names of tools.

#[cfg(test)]
mod tests;

/// The verbs that the summary may use, sorted. Other words are not used, because a name may contain
/// anything.
pub(super) const VERBS: [&str; 84] = [
    "add",
    "analyze",
    "append",
    "approve",
    "archive",
    "assign",
    "browse",
    "build",
    "calculate",
    "cancel",
    "capture",
    "check",
    "click",
    "close",
    "comment",
    "commit",
    "compare",
    "convert",
    "copy",
    "count",
    "create",
    "delete",
    "deploy",
    "describe",
    "download",
    "draft",
    "edit",
    "execute",
    "export",
    "extract",
    "fetch",
    "fill",
    "find",
    "format",
    "generate",
    "get",
    "import",
    "insert",
    "inspect",
    "install",
    "invite",
    "list",
    "load",
    "lookup",
    "merge",
    "monitor",
    "move",
    "navigate",
    "open",
    "parse",
    "play",
    "post",
    "publish",
    "pull",
    "push",
    "query",
    "read",
    "remove",
    "rename",
    "reply",
    "resolve",
    "restart",
    "run",
    "save",
    "scan",
    "schedule",
    "search",
    "send",
    "set",
    "share",
    "show",
    "start",
    "stop",
    "summarize",
    "sync",
    "test",
    "track",
    "translate",
    "update",
    "upload",
    "validate",
    "verify",
    "view",
    "write",
];

/// The length of the longest verb.
const MAX_VERB_LENGTH: usize = 9;

/// The words of an identifier, in lower case: `createIssue`, `create_issue` and `create-issue` have
/// the same two. Words that are too short, too long or not plain letters are left out.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let starts_word = !c.is_ascii_alphanumeric() || was_lower && c.is_ascii_uppercase();
        if starts_word {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    words.retain(|word| {
        (2..=14).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    words
}

/// The first word that is a verb. It allocates nothing, because it runs for every tool of the
/// catalog.
pub(super) fn first_verb(name: &str) -> Option<&'static str> {
    let bytes = name.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    let mut start = 0;
    for index in 0..=bytes.len() {
        let ends_word = bytes.get(index).is_none_or(|byte| !is_word(*byte));
        let starts_word = index > start
            && !ends_word
            && bytes[index - 1].is_ascii_lowercase()
            && bytes[index].is_ascii_uppercase();
        if !ends_word && !starts_word {
            continue;
        }
        if let Some(verb) = verb_from_bytes(&bytes[start..index]) {
            return Some(verb);
        }
        start = if ends_word { index + 1 } else { index };
    }
    None
}

/// The verb with these letters, in any case.
fn verb_from_bytes(word: &[u8]) -> Option<&'static str> {
    let mut lowercase = [0; MAX_VERB_LENGTH];
    let lowercase = lowercase.get_mut(..word.len())?;
    lowercase.copy_from_slice(word);
    lowercase.make_ascii_lowercase();
    verb(std::str::from_utf8(lowercase).ok()?)
}

/// The word, if it is a verb.
pub(super) fn verb(word: &str) -> Option<&'static str> {
    VERBS.binary_search(&word).ok().map(|index| VERBS[index])
}
