use super::Api;
use super::catalog::world;
use crate::world::can_run;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The path of schemathesis: the one that `.ci/run` installed, or the one on the `PATH`.
fn schemathesis() -> Option<PathBuf> {
    let named = std::env::var_os("TOOLSCOUT_TEST_SCHEMATHESIS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).map(|value| value.join("schemathesis"));
    named.filter(|value| value.is_file()).or_else(|| folders.find(|folder| folder.is_file()))
}

/// Requests that match the document, or almost do, never cause an internal error or an undocumented
/// response. The test runs with both tokens, because they have different roles.
#[test]
fn fuzzed_requests_never_cause_an_internal_error() {
    let program = schemathesis();
    if !can_run(program.is_some(), "schemathesis") {
        return;
    }
    let program = program.unwrap_or_default();
    for role in ["agent", "operator"] {
        // With this `PATH`, a server with a generated command cannot start.
        let world = world().var("PATH", "/nowhere");
        let api = Api::start(&world);
        let token = if role == "agent" { &api.agent } else { &api.operator };
        let mut command = Command::new(&program);
        command
            .args(["run", &format!("http://{}/api/openapi.json", api.web.addr)])
            .args(["--header", token]);
        command.args(["--exclude-path", "/api/events", "--max-examples", "15", "--seed", "1"]);
        // One worker: with more, the threads of Python 3.11 disturb each
        // other's `ast.parse` (python/cpython#106905), and the generator fails.
        // The routes of a project are the same routes in another place.
        command.args(["--exclude-path-regex", r"^/api/projects/\{project\}"]);
        // A request may match the schema and still be refused for a reason that no schema can
        // express.
        command.args(["--exclude-checks", "positive_data_acceptance"]);
        // The health checks are about the generator: how many strings it discards for a path, and
        // how long it takes, which depends on the load of the machine.
        command.args(["--suppress-health-check", "all"]);
        command.args(["--no-color", "--request-timeout", "120"]);
        let output =
            command.current_dir(world.temp_dir()).stdin(Stdio::null()).output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "as {role}: {text}");
    }
}
