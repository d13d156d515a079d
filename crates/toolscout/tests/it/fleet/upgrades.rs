//! Replicas of different versions: rows that a later version has written, made by this test.

use super::{PAY, fleet};
use crate::serve::Web;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::{MemoryStore, Namespace, Store};
use toolscout_fleet::{FleetKeys, FleetSettings, FleetStore, MAX_CUT_OFF};

const APPROVALS: &str = "toolscout approvals of definitions";
const CALLS: &str = "toolscout approvals of calls";
/// A field that this version does not know.
const ADDED: &str = "laterField";

/// A replica of a later version.
struct LaterReplica {
    store: FleetStore,
}

impl LaterReplica {
    fn join(world: &World) -> Self {
        let command = world.command(&[]);
        let var = |name: &str| {
            let found = command.get_envs().find(|(key, _)| *key == name);
            found.and_then(|(_, value)| value?.to_str()).expect("a variable").to_owned()
        };
        let settings = FleetSettings {
            database: var("TOOLSCOUT_DATABASE_URL"),
            listen_database: None,
            keys: FleetKeys::parse(&var("TOOLSCOUT_FLEET_KEY")).expect("a key"),
            max_cut_off: MAX_CUT_OFF,
        };
        let folder = world.temp_dir().join("later");
        let local = Arc::new(MemoryStore::default());
        let store = FleetStore::open(local, &folder, settings, "later").expect("a store");
        Self { store }
    }

    /// Changes all rows of a namespace, and returns their number.
    fn edit(&self, namespace: Namespace, edit: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> usize {
        let keys = self.store.keys(namespace).expect("keys");
        for key in &keys {
            let before = self.store.read(namespace, key).expect("a read").expect("a row");
            let next = edit(key, before.clone());
            assert!(self.store.swap(namespace, key, Some(&before), Some(&next)).expect("a swap"));
        }
        keys.len()
    }

    /// Changes the sealed contents of all rows.
    fn edit_sealed(&self, namespace: Namespace, purpose: &str, edit: impl Fn(&mut Value)) -> usize {
        let secret = blake3::derive_key(purpose, &self.store.key().expect("the key"));
        self.edit(namespace, |key, bytes| {
            let mut row: Value = serde_json::from_slice(&bytes).expect("JSON");
            edit(&mut row["body"]);
            let body = row["body"].to_string();
            let mut hasher = blake3::Hasher::new_keyed(&secret);
            hasher.update(&(key.len() as u64).to_le_bytes());
            hasher.update(key.as_bytes()).update(body.as_bytes());
            row["mac"] = json!(hasher.finalize().to_hex().to_string());
            row.to_string().into_bytes()
        })
    }

    fn sealed_bodies(&self, namespace: Namespace) -> Vec<Value> {
        let keys = self.store.keys(namespace).expect("keys");
        let rows = keys.iter().map(|key| self.store.read(namespace, key).expect("a read"));
        rows.map(|row| {
            let row: Value = serde_json::from_slice(&row.expect("a row")).expect("JSON");
            row["body"].clone()
        })
        .collect()
    }
}

/// Adds the field to an object.
fn add_field(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.insert(ADDED.to_owned(), json!({"is": ["new", 1]}));
    }
}

/// Adds the field to each object of a record of approvals, but not to what has its own format.
fn add_to_approvals(record: &mut Value) {
    add_field(record);
    let tools = record["tools"].as_object_mut().expect("tools");
    for tool in tools.values_mut() {
        add_field(tool);
        for part in ["approved", "held"] {
            if tool[part].is_object() {
                add_field(&mut tool[part]);
                add_field(&mut tool[part]["definition"]);
            }
        }
    }
}

fn json_row(bytes: &[u8], edit: impl Fn(&mut Value)) -> Vec<u8> {
    let mut row: Value = serde_json::from_slice(bytes).expect("JSON");
    edit(&mut row);
    row.to_string().into_bytes()
}

/// Changes the JSON at the start of a discovery record.
fn discovery_row(bytes: &[u8], edit: impl Fn(&mut Value)) -> Vec<u8> {
    let (rest, trailer) = bytes.split_at(bytes.len() - 8);
    let (before, definitions) = rest.split_at(length_of(trailer));
    let json = json_row(before, edit);
    let length = u32::try_from(json.len()).expect("a short row").to_le_bytes();
    [&json[..], definitions, &length, &trailer[4..]].concat()
}

fn length_of(trailer: &[u8]) -> usize {
    u32::from_le_bytes(trailer[..4].try_into().expect("four bytes")) as usize
}

fn discovery_json(bytes: &[u8]) -> Value {
    let trailer = &bytes[bytes.len() - 8..];
    serde_json::from_slice(&bytes[..length_of(trailer)]).expect("JSON")
}

/// Y-30: rows with fields that a later minor version has added, on a replica that runs and on one
/// that starts.
#[test]
fn fields_of_a_later_minor_version_are_read_and_kept() {
    let Some(machines) = fleet(2) else { return };
    let [one, two] = &machines[..] else { panic!("two machines") };
    let running = Web::open(one, &[]);
    let id = one.pending_approval(&PAY);
    let token = one.run(&["token", "create", "--name", "ci", "--user", "ada"]).exits(0).out;
    let seen = br#"{"method": "tools/call", "params": {"name": "seen"}}"#;
    one.run_with(seen, &["observe", "--register"]);
    let later = LaterReplica::join(one);
    assert_eq!(later.edit_sealed(Namespace::Approval, APPROVALS, add_to_approvals), 1);
    assert_eq!(later.edit_sealed(Namespace::Pending, CALLS, add_field), 1);
    let plain = |_: &str, bytes: Vec<u8>| json_row(&bytes, add_field);
    assert_eq!(later.edit(Namespace::AccessToken, plain), 1);
    let names = later.edit(Namespace::Name, plain);
    let observed = later.edit(Namespace::Observed, plain);
    let discovery = |_: &str, bytes: Vec<u8>| {
        discovery_row(&bytes, |record| {
            add_field(record);
            add_field(&mut record["tools"]);
        })
    };
    assert_eq!(later.edit(Namespace::Discovery, discovery), 1);
    for world in [one, two] {
        assert_eq!(world.quarantined(), Vec::<String>::new());
        assert_eq!(world.run(&["run", "s/look"]).exits(0).out, "called\n");
    }
    let bearer = format!("Authorization: Bearer {}", token.trim());
    assert_eq!(running.send("GET", "/api/me", &[&bearer], "").status, 200);
    // This version writes each of the rows again.
    two.run(&["approve", &id]).exits(0);
    two.run(&["token", "rotate", "ci"]).exits(0);
    two.refresh_with(&[("pay", "Pays somebody"), ("look", "Looks at an account twice")]);
    // The running replica reviews the change as well, and may do so between the reading of the
    // record and the decision.
    wait_until("the change is approved", || two.run(&["approve", "s/look"]).code == 0);
    two.refresh_with(&[
        ("pay", "Pays somebody"),
        ("look", "Looks at an account twice"),
        ("more", "Looks at more"),
    ]);
    let reread = LaterReplica::join(two);
    let has_field = |value: &Value| value.get(ADDED) == Some(&json!({"is": ["new", 1]}));
    let approvals = &reread.sealed_bodies(Namespace::Approval)[0];
    let pay = &approvals["tools"]["pay"];
    for part in [approvals, pay, &pay["approved"], &pay["approved"]["definition"]] {
        assert!(has_field(part), "{approvals}");
    }
    assert!(has_field(&approvals["tools"]["look"]), "{approvals}");
    assert!(approvals["tools"]["more"].is_object(), "the record was written: {approvals}");
    let pending = &reread.sealed_bodies(Namespace::Pending)[0];
    assert!(has_field(pending) && pending["answer"] == true, "{pending}");
    let rows = |namespace| -> Vec<Vec<u8>> {
        let keys = reread.store.keys(namespace).expect("keys");
        keys.iter().filter_map(|key| reread.store.read(namespace, key).expect("a read")).collect()
    };
    let tokens = rows(Namespace::AccessToken);
    let parsed = |bytes: &Vec<u8>| serde_json::from_slice::<Value>(bytes).expect("JSON");
    assert!(has_field(&parsed(&tokens[0])));
    let record = discovery_json(&rows(Namespace::Discovery)[0]);
    assert!(has_field(&record) && has_field(&record["tools"]), "{record}");
    assert_eq!((rows(Namespace::Name).len(), rows(Namespace::Observed).len()), (names, observed));
    for row in rows(Namespace::Name).iter().chain(&rows(Namespace::Observed)) {
        assert!(has_field(&parsed(row)), "{}", parsed(row));
    }
}

/// Y-31: rows of a later major version.
#[test]
fn rows_of_a_later_major_version_are_neither_used_nor_replaced() {
    let Some(machines) = fleet(1) else { return };
    let world = &machines[0];
    let id = world.pending_approval(&PAY);
    let later = LaterReplica::join(world);
    let make_later = |row: &mut Value| row["version"] = json!(9);
    later.edit_sealed(Namespace::Approval, APPROVALS, make_later);
    later.edit_sealed(Namespace::Pending, CALLS, make_later);
    let stored = |namespace| later.sealed_bodies(namespace);
    let before = (stored(Namespace::Approval), stored(Namespace::Pending));
    let refused = world.run(&["run", "s/look"]);
    assert_ne!(refused.code, 0);
    let refused = world.run(&["review", "accept", "s"]);
    assert!(refused.err.contains("written by a newer toolscout"), "{refused:?}");
    assert!(refused.err.contains("upgrade this toolscout"), "{refused:?}");
    assert_ne!(world.run(&["approve", &id]).code, 0);
    assert_ne!(world.run(&PAY).code, 0);
    later.store.status().expect("the database answers");
    assert_eq!((stored(Namespace::Approval), stored(Namespace::Pending)), before);
}
