//! Every command of the program reports its errors as JSON if its output is JSON.

use crate::{App, Environment, plugins};
use serde_json::Value;
use toolscout_surface::codes::Exit;

/// The binary's composition in an empty folder.
fn app(environment: Environment) -> App {
    App::builder("toolscout")
        .environment(environment)
        .plugin(plugins::Logs)
        .plugin(plugins::Telemetry)
        .plugin(plugins::Journal)
        .plugin(plugins::Registry::default())
        .plugin(plugins::Discovery::default())
        .plugin(plugins::OpenCode)
        .plugin(plugins::Servers)
        .plugin(plugins::Requests::default())
        .plugin(plugins::Review)
        .plugin(plugins::Search)
        .plugin(plugins::Context)
        .plugin(plugins::Observe)
        .plugin(plugins::Import)
        .plugin(plugins::Serve)
        .plugin(plugins::Ui)
        .plugin(plugins::Connect)
        .plugin(plugins::Bench)
        .plugin(plugins::Cli)
        .build()
        .expect("the app builds")
}

/// U-07
#[tokio::test]
async fn every_command_reports_a_usage_error_as_one_json_object() {
    let folder = std::env::temp_dir();
    let (_, commands) = super::program();
    let names: Vec<_> = commands.iter().map(|command| command.name()).collect();
    assert!(names.len() > 50, "{names:?}");
    for name in names.iter().filter(|name| !name.starts_with('_')) {
        let (environment, captured) = Environment::captured(&folder, &[]);
        let words = name.split(' ').chain(["--json", "--no-such-option"]);
        let exit = app(environment).run(words).await;
        assert_eq!((exit, captured.out().as_str()), (Exit::Usage, ""), "{name}");
        let object: Value = serde_json::from_str(&captured.err()).unwrap_or_default();
        let error = &object["error"];
        assert_eq!(error["kind"], "VALIDATION_FAILED", "{name}: {}", captured.err());
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains("--no-such-option"), "{name}: {message}");
        assert!(error["hint"].as_str().is_some_and(|hint| hint.ends_with("--help")), "{name}");
    }
}
