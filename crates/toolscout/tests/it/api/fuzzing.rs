use super::Api;
use super::catalog::world;
use crate::world::can_run;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where `.ci/run` has installed it, or wherever it is.
fn schemathesis() -> Option<PathBuf> {
    let named = std::env::var_os("TOOLSCOUT_TEST_SCHEMATHESIS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).map(|it| it.join("schemathesis"));
    named.filter(|it| it.is_file()).or_else(|| folders.find(|it| it.is_file()))
}

/// Whatever fits the document, or nearly does, is answered: never with a fault of ours, never with what the document does not
/// say. With both tokens, since they open different doors.
#[test]
fn no_request_that_can_be_made_up_ends_in_a_fault_of_ours() {
    let program = schemathesis();
    if !can_run(program.is_some(), "schemathesis") {
        return;
    }
    let program = program.unwrap_or_default();
    for who in ["agent", "operator"] {
        // What is made up as a command is not to be found.
        let world = world().var("PATH", "/nowhere");
        let api = Api::start(&world);
        let token = if who == "agent" { &api.agent } else { &api.operator };
        let mut command = Command::new(&program);
        command
            .args(["run", &format!("http://{}/api/openapi.json", api.web.addr)])
            .args(["--header", token]);
        command.args([
            "--exclude-path",
            "/api/events",
            "--max-examples",
            "15",
            "--seed",
            "1",
            "--workers",
            "2",
        ]);
        // What no schema can say is refused with a reason, and that is no fault.
        command.args(["--exclude-checks", "positive_data_acceptance"]);
        // It is about the strings it makes up for a path, not about us.
        command.args(["--suppress-health-check", "filter_too_much"]);
        command.args(["--no-color", "--request-timeout", "30"]);
        let output =
            command.current_dir(world.outside()).stdin(Stdio::null()).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "as {who}: {said}");
    }
}
