//! Recognizes secrets by their shape alone.

/// Prefixes of the tokens of well-known services.
const TOKEN_PREFIXES: [&str; 24] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "whsec_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
    "shpat_",
    "dop_v1_",
    "lin_api_",
    "ntn_",
];

/// Whether this word has the shape of a secret.
pub(super) fn is_token(word: &str) -> bool {
    let is_random_enough = |rest: &str| {
        rest.len() >= 16 || (rest.len() >= 8 && rest.bytes().any(|byte| byte.is_ascii_digit()))
    };
    TOKEN_PREFIXES.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(is_random_enough))
        || after_slack_prefix(word).is_some_and(is_random_enough)
        || is_jwt(word)
}

/// `xoxb-…`, `xoxp-…` and similar.
fn after_slack_prefix(word: &str) -> Option<&str> {
    let rest = word.strip_prefix("xox")?;
    rest.strip_prefix(|c: char| c.is_ascii_alphanumeric())?.strip_prefix('-')
}

/// A JWT: two or three parts, the first of which is an encoded JSON object.
fn is_jwt(word: &str) -> bool {
    word.len() >= 20 && word.starts_with("eyJ") && word[3..].contains('.')
}

/// Whether this is random rather than natural language: it has digits, mixed case after the first
/// letter, or at least 20 bytes.
pub(super) fn looks_random(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().skip(1).any(|byte| kind(&byte));
    value.len() >= 20
        || value.bytes().any(|byte| byte.is_ascii_digit())
        || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
}

/// Whether this only refers to a secret: `env:NAME`, `file:path`, `keyring:name`, `${NAME}`.
pub(super) fn is_reference(value: &str) -> bool {
    let is_prefixed = ["env:", "file:", "keyring:"].iter().any(|prefix| value.starts_with(prefix));
    let is_variable = value.starts_with("${") && value.ends_with('}');
    (is_prefixed || is_variable) && !value.contains('=')
}
