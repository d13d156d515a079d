use super::tagged;
use serde_json::{Value, json};
use toolscout_core::RawJson;

#[test]
fn a_subscription_id_replaces_metadata_of_another_type() {
    for meta in [json!("x"), json!([1]), json!(7), Value::Null, json!({})] {
        let params = RawJson::from_value(&json!({"uri": "a:b", "_meta": meta}));
        let tagged = tagged(Some(&params), Some(&RawJson::from_value(&json!(1)))).unwrap();
        let tagged: Value = serde_json::from_str(&tagged).unwrap();
        let id = json!({"io.modelcontextprotocol/subscriptionId": 1});
        assert_eq!(tagged, json!({"uri": "a:b", "_meta": id}));
    }
}
