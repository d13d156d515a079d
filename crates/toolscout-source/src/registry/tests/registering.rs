//! Order, names, bulk registration, and taken names.

use super::{list, registry, tool};
use crate::{Conflict, RegisterOutcome, Registry};
use insta::assert_snapshot;

/// R-01: the order is that of registration, and a list does not change once taken.
#[test]
fn a_list_is_a_snapshot_in_the_order_of_registration() {
    let registry = registry(&["b", "a", "c"]);
    let before = registry.list();
    registry.register(tool("d", "first")).unwrap();
    registry.unregister("b");
    let names: Vec<_> = before.iter().map(|item| item.id.to_string()).collect();
    assert_eq!(names, ["app/b", "app/a", "app/c"]);
    assert_snapshot!(list(&registry), @r"
    a: first
    c: first
    d: first
    ");
}

/// R-02: unregistering returns whether there was a tool.
#[test]
fn unregistering_twice_is_true_then_false() {
    let registry = registry(&["a", "b", "c"]);
    assert!(registry.unregister("b"));
    assert!(!registry.unregister("b"));
    assert_eq!(registry.len(), 2);
    assert!(registry.tool("b").is_none());
    assert_eq!(registry.tool("c").unwrap().id.name.as_str(), "c");
}

/// R-03: the later one, at the position of the earlier one.
#[test]
fn a_taken_name_is_replaced_at_its_position() {
    let registry = registry(&["a", "b"]);
    assert_eq!(registry.register(tool("a", "second")), Ok(RegisterOutcome::Replaced));
    assert_snapshot!(list(&registry), @r"
    a: second
    b: first
    ");
}

/// R-03: the earlier one stays.
#[test]
fn a_taken_name_can_be_skipped() {
    let registry = registry(&["a", "b"]).on_conflict(Conflict::Skip);
    assert_eq!(registry.register(tool("a", "second")), Ok(RegisterOutcome::Skipped));
    assert_eq!(registry.register(tool("c", "second")), Ok(RegisterOutcome::Added));
    assert_snapshot!(list(&registry), @r"
    a: first
    b: first
    c: second
    ");
}

/// R-03: the earlier one stays, and the error text is the expected one.
#[test]
fn a_taken_name_can_be_an_error() {
    let registry = registry(&["x"]).on_conflict(Conflict::Error);
    assert_snapshot!(registry.register(tool("x", "second")).unwrap_err(), @"Tool 'x' is already registered");
    assert_snapshot!(list(&registry), @"x: first");
}

/// R-04: one duplicate does not reject the rest.
#[test]
fn a_bulk_with_a_duplicate_under_skip_registers_the_rest() {
    let registry = registry(&["b"]).on_conflict(Conflict::Skip);
    let outcomes =
        registry.register_all(["a", "b", "c"].map(|value| tool(value, "second"))).unwrap();
    assert_eq!(
        outcomes,
        [RegisterOutcome::Added, RegisterOutcome::Skipped, RegisterOutcome::Added]
    );
    assert_snapshot!(list(&registry), @r"
    b: first
    a: second
    c: second
    ");
}

/// R-04: if a duplicate is an error, a bulk registration is all or nothing.
#[test]
fn a_bulk_with_a_duplicate_under_error_registers_nothing() {
    let registry = registry(&["b"]).on_conflict(Conflict::Error);
    registry.register_all(["a", "b", "c"].map(|value| tool(value, "second"))).unwrap_err();
    assert_snapshot!(list(&registry), @"b: first");
    registry.register_all(["a", "a"].map(|value| tool(value, "second"))).unwrap_err();
    assert_eq!(registry.len(), 1);
}

/// R-05: a cleared registry accepts tools like a new one.
#[test]
fn a_cleared_registry_takes_tools_again() {
    let registry = registry(&["a", "b"]);
    registry.clear();
    assert!(registry.is_empty());
    registry.register(tool("a", "second")).unwrap();
    assert_eq!(registry.len(), 1);
    assert_snapshot!(list(&registry), @"a: second");
}

#[test]
fn a_clone_is_the_same_registry() {
    let registry = Registry::new();
    registry.clone().register(tool("a", "first")).unwrap();
    assert_eq!(registry.len(), 1);
}

/// M-16c
#[test]
fn a_process_has_one_global_registry() {
    Registry::global().register(tool("of-the-process", "first")).unwrap();
    assert!(Registry::global().tool("of-the-process").is_some());
    assert!(Registry::new().is_empty(), "other registries are separate");
}

#[test]
fn conflicts_are_parsed_by_name() {
    for conflict in Conflict::ALL {
        assert_eq!(conflict.to_string().parse(), Ok(conflict));
    }
    assert_eq!(Conflict::default(), Conflict::Replace);
    assert_snapshot!("merge".parse::<Conflict>().unwrap_err(), @"`merge` is not a conflict rule; use `replace`, `skip` or `error`");
}
