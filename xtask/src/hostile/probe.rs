//! Additional calls for modes whose harm is not in `echo`: tools and their arguments.

use serde_json::{Value, json};

pub(crate) struct Probe {
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) ends: Ends,
}

/// The expected end of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// With success.
    Well,
    /// With an error that contains this text.
    Saying(&'static str),
    /// With success, and a warning that contains this text.
    Warning(&'static str),
    /// Either way, in time: the mode's problem concerns only the validation.
    Soon,
}

pub(crate) fn probes(mode: &str) -> Vec<Probe> {
    let of =
        |tool: &str, input: Value, ends| Probe { tool: format!("hostile/{tool}"), input, ends };
    let long = |text: &str| text.repeat(64 * 1024 / text.len());
    match mode {
        "validate_bomb" => vec![
            of("exp_anyof", json!({"a": long("a")}), Ends::Saying("would take too long")),
            of("redos", json!({"a": long("a") + "!"}), Ends::Saying("cannot be used")),
            of("unique", json!({"a": (0..12_000).collect::<Vec<_>>()}), Ends::Well),
            of("patprops", json!({(long("x")): 1}), Ends::Soon),
        ],
        "ref_cycle" => vec![
            of("cyc_self", json!({"me": {"me": {"me": {}}}}), Ends::Well),
            of("cyc_allof", json!({"x": 1}), Ends::Well),
            of("cyc_items", json!({"t": [[[[]]]]}), Ends::Well),
            of("cyc_direct", json!({"x": 1}), Ends::Well),
        ],
        "ref_bomb" => vec![of("bomb", json!({"x": {"l": {"r": {"l": {}}}}}), Ends::Well)],
        "ref_remote" => ["ref_http", "ref_file", "ref_env", "ref_dyn", "ref_schema", "ref_id"]
            .map(|value| of(value, json!({"a": 1}), Ends::Soon))
            .into(),
        "wide_schema" => vec![of("req", json!({}), Ends::Saying("required"))],
        "odd_dialect" => vec![
            of("d4", json!({}), Ends::Well),
            of("d7", json!({}), Ends::Well),
            of("dx", json!({}), Ends::Well),
            of("bools", json!({"b": 1}), Ends::Saying("invalid arguments for")),
            of("never", json!({}), Ends::Saying("invalid arguments for")),
            of("numkeys", json!({}), Ends::Soon),
        ],
        "header_inject" => vec![of("hx_ok", json!({"q": "x"}), Ends::Well)],
        "output_lie" => {
            vec![of("typed", json!({}), Ends::Warning("does not match the output schema"))]
        }
        "stop_reading" => {
            vec![of("echo", json!({"text": "x".repeat(1 << 20)}), Ends::Saying("timed out after"))]
        }
        "rug_call" => vec![of("add", json!({"a": 1, "b": 2}), Ends::Soon)],
        _ => Vec::new(),
    }
}
