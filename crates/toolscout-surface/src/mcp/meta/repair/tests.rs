//! 1. Arguments that fit are never changed.
//! 2. Repaired arguments that fit are not repaired again.
//! 3. No input causes a panic or an endless loop.

use super::{Repaired, fits, repair};
use crate::mcp::meta::fixture::tool;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolscout_gateway::ArgumentValidator;

const SCHEMAS: [&str; 5] = [
    r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"boolean"}},"required":["a"]}"#,
    r#"{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"number"},"c":{"type":"array","items":{"type":"integer"}}}},"b":{"type":["integer","null"]}},"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"arguments":{"type":"object"},"input":{"type":"string"},"a.b":{"type":"integer"}}}"#,
    r##"{"type":"object","$defs":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"properties":{"a":{"$ref":"#/$defs/n"},"b":{"oneOf":[{"type":"boolean"},{"type":"array","items":{"type":"string"}}]}},"required":["a","b"]}"##,
    r##"{"type":"object","properties":{"a":{"$ref":"#"},"c":{"allOf":[{"type":"object","properties":{"b":{"type":"string"}}}]}},"required":["c"]}"##,
];

fn repaired(schema: &str, given: Value) -> Option<Repaired> {
    let tool = tool(&format!("s/t -- x -- {schema}"));
    repair(&ArgumentValidator::new(&tool).unwrap(), &tool.input_schema.to_value(), given)
}

#[test]
fn every_repair_is_described() {
    let Repaired { arguments, repairs } =
        repaired(SCHEMAS[1], json!("{\"a.b\": \"1.5\", \"b\": \"7\"}")).unwrap();
    assert_eq!(Value::Object(arguments), json!({"a": {"b": 1.5}, "b": 7}));
    assert_eq!(
        repairs,
        [
            "the arguments were a string of JSON",
            "`a.b` was split at its dots",
            "`b` was read as a number",
            "`a.b` was read as a number"
        ]
    );
}

/// `a` is a text at first, and can take `a.c` only after it became an object.
#[test]
fn one_repair_can_make_another_possible() {
    let given = json!({"a": "{\"b\":\"1\"}", "a.c": null});
    let once = repaired(SCHEMAS[4], given).unwrap().arguments;
    assert_eq!(repaired(SCHEMAS[4], Value::Object(once.clone())).unwrap().arguments, once);
}

#[test]
fn a_dotted_key_of_the_schema_is_not_split() {
    let given = json!({"a.b": "5", "input": "x"});
    let Repaired { arguments, .. } = repaired(SCHEMAS[2], given).unwrap();
    assert_eq!(Value::Object(arguments), json!({"a.b": 5, "input": "x"}));
}

#[test]
fn existing_values_are_not_overwritten() {
    let given = json!({"a": {"b": 1}, "a.b": 2, "b": "x"});
    let Repaired { arguments, .. } = repaired(SCHEMAS[1], given.clone()).unwrap();
    assert_eq!(Value::Object(arguments), given);
}

#[test]
fn numbers_stay_exact() {
    let Repaired { arguments, .. } =
        repaired(SCHEMAS[0], json!({"a": 18446744073709551615_u64, "b": "9007199254740993"}))
            .unwrap();
    assert_eq!(
        Value::Object(arguments),
        json!({"a": "18446744073709551615", "b": 9007199254740993_i64})
    );
    for odd in ["NaN", "inf", "1e400", "0x10", "", " ", "1_000"] {
        let Repaired { arguments, .. } = repaired(SCHEMAS[0], json!({"a": "x", "b": odd})).unwrap();
        assert_eq!(arguments["b"], odd);
    }
}

#[test]
fn deep_and_wide_arguments_are_repaired_quickly() {
    let mut deep = json!({"a": "x"});
    for _ in 0..100 {
        deep = json!({"arguments": deep});
    }
    assert!(repaired(SCHEMAS[0], deep).is_some());
    let wide: Map<_, _> = (0..20_000).map(|index| (format!("a.k{index}"), json!("1"))).collect();
    assert!(repaired(SCHEMAS[1], Value::Object(wide)).is_some());
    let mut text = json!({"a": 5}).to_string();
    for _ in 0..10 {
        text = json!(text).to_string();
    }
    let Repaired { arguments, .. } = repaired(SCHEMAS[0], json!(text)).unwrap();
    assert_eq!(arguments["a"], "5");
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "(true|FALSE|null|-?[0-9]{1,20}(\\.[05])?|\\[1,\"2\"\\]|\\{\"b\":\"1\"\\}|\\PC{0,6})"
            .prop_map(Value::from),
    ];
    let key = "(a|b|c|a\\.b|a\\.c|arguments|input|parameters|name|x)";
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..5)
                .prop_map(|btree_map| Value::Object(btree_map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn valid_arguments_are_unchanged_and_repairs_are_idempotent(index in 0..SCHEMAS.len(), given in json_value()) {
        let tool = tool(&format!("s/t -- x -- {}", SCHEMAS[index]));
        let (validator, schema) = (ArgumentValidator::new(&tool).unwrap(), tool.input_schema.to_value());
        let fitted = given.as_object().is_some_and(|it| fits(&validator, it));
        let once = repair(&validator, &schema, given.clone());
        if fitted {
            prop_assert_eq!(once, Some(Repaired { arguments: given.as_object().unwrap().clone(), repairs: Vec::new() }));
        } else if let Some(once) = once.filter(|it| fits(&validator, &it.arguments)) {
            // Nothing is asserted about arguments that do not fit after the repair; the gateway
            // rejects them.
            let again = repair(&validator, &schema, Value::Object(once.arguments.clone())).unwrap();
            prop_assert_eq!(again.arguments, once.arguments);
        }
    }
}
