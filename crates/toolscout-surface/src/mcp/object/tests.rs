use super::Object;

#[test]
fn values_are_preserved_as_written() {
    let text = r#"{"a":1.50,"b\n":{ "c" : [1e2] },"a":null}"#;
    let mut object = Object::parse(text).unwrap();
    assert_eq!(object.to_string(), text);
    assert_eq!(object.get("a"), Some("null"), "the last value wins");
    object.set("b\n", "0");
    object.set_missing("a", "1");
    object.set_missing("d", "2");
    assert_eq!(object.to_string(), r#"{"a":1.50,"b\n":0,"a":null,"d":2}"#);
    object.remove("a");
    assert_eq!(object.to_string(), r#"{"b\n":0,"d":2}"#);
}

#[test]
fn other_json_is_not_an_object() {
    for text in ["[]", "1", "null", "{", r#"{"a":}"#] {
        assert!(Object::parse(text).is_none(), "{text}");
    }
}
