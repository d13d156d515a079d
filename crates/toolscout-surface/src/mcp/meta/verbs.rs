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
const LONGEST: usize = 9;

/// The words of an identifier, in lower case: `createIssue`, `create_issue` and `create-issue` have
/// the same two. Words that are too short, too long or not plain letters are left out.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for it in name.chars() {
        let begins = !it.is_ascii_alphanumeric() || was_lower && it.is_ascii_uppercase();
        if begins {
            words.push(String::new());
        }
        if let (true, Some(word)) = (it.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(it.to_ascii_lowercase());
        }
        was_lower = it.is_ascii_lowercase();
    }
    words.retain(|it| (2..=14).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_lowercase()));
    words
}

/// The first word that is a verb. It allocates nothing, because it runs for every tool of the
/// catalog.
pub(super) fn first_verb(name: &str) -> Option<&'static str> {
    let bytes = name.as_bytes();
    let is_word = |it: u8| it.is_ascii_alphanumeric();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let ends = bytes.get(at).is_none_or(|it| !is_word(*it));
        let begins = at > start
            && !ends
            && bytes[at - 1].is_ascii_lowercase()
            && bytes[at].is_ascii_uppercase();
        if !ends && !begins {
            continue;
        }
        if let Some(verb) = verb_of(&bytes[start..at]) {
            return Some(verb);
        }
        start = if ends { at + 1 } else { at };
    }
    None
}

/// The verb with these letters, in any case.
fn verb_of(word: &[u8]) -> Option<&'static str> {
    let mut small = [0; LONGEST];
    let small = small.get_mut(..word.len())?;
    small.copy_from_slice(word);
    small.make_ascii_lowercase();
    verb(std::str::from_utf8(small).ok()?)
}

/// The word, if it is a verb.
pub(super) fn verb(word: &str) -> Option<&'static str> {
    VERBS.binary_search(&word).ok().map(|at| VERBS[at])
}
