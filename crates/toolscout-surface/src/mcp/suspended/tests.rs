use super::{RunningRequest, SuspendedCalls};
use std::future::pending;

fn running() -> RunningRequest {
    RunningRequest::new(|_| Box::pin(pending()))
}

#[test]
fn a_number_resumes_nothing_in_another_server() {
    let (of_one, of_other) = (SuspendedCalls::default(), SuspendedCalls::default());
    let number = of_one.suspend(None, running());
    of_other.suspend(None, running());
    assert!(of_other.take(None, number).is_none());
    assert!(of_one.take(None, number).is_some());
    assert!(of_one.take(None, number).is_none(), "each can be taken once");
}

#[test]
fn only_its_owner_resumes_a_call() {
    let calls = SuspendedCalls::default();
    let number = calls.suspend(Some("ada".into()), running());
    for other in [None, Some("bob")] {
        assert!(calls.take(other, number).is_none());
    }
    assert!(calls.take(Some("ada"), number).is_some(), "the attempts of others end nothing");
}
