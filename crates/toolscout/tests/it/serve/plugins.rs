//! B-25: programs with other sets of plugins: a server without commands, registered tools without
//! discovery, folders without servers, and commands without a server.

use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::json;
use toolscout::core::ToolOutput;
use toolscout::source::ToolBuilder;
use toolscout::surface::codes::Exit;
use toolscout::{App, AppBuilder, Captured, Environment, plugins};

/// An invalid configuration file. A program that reads no configuration ignores it.
const BROKEN: &str = "this is [ no toml";

fn own() -> plugins::Registry {
    let tool = ToolBuilder::new("greet").expect("a name").description("Greet somebody").listed();
    let tool = tool.run(|_, _| async { Ok(ToolOutput::text("hello")) });
    plugins::Registry::default().tool(tool).expect("the only tool")
}

fn started(world: &World) -> (AppBuilder, Captured) {
    let (environment, captured) =
        Environment::captured(&world.path(""), &[("TOOLSCOUT_TRUST", "1")]);
    (App::builder("mine").environment(environment), captured)
}

/// Serves an app over HTTP; returns the names of its listed tools and the result of `call`.
async fn served(app: AppBuilder, captured: Captured, call: &'static str) -> (Vec<String>, String) {
    let app = app.build().expect("the app builds");
    let mut serving = tokio::task::JoinSet::new();
    serving
        .spawn(async move { app.run(["serve", "--http", "127.0.0.1:0", "--auth", "none"]).await });
    let pending = tokio::task::spawn_blocking(move || {
        wait_until("the server listens", || captured.err().contains("listening on"));
        let output = captured.err();
        let addr = output
            .split("listening on http://")
            .nth(1)
            .and_then(|part| part.split("/mcp").next())
            .expect("an address");
        let web = super::web::Client { addr: addr.to_owned() };
        let mut session = web.session("/mcp", &[]);
        (session.listed(), session.text(call, json!({})))
    });
    pending.await.expect("an answer")
}

/// The only command is `serve`, and there is no discovery.
#[tokio::test]
async fn registered_tools_are_served_without_other_plugins() {
    let world = World::project().file("toolscout.toml", BROKEN).echo("tools/a.tool.toml", "a", "");
    let (app, captured) = started(&world);
    let app = app.plugin(own()).plugin(plugins::Serve);
    assert_eq!(
        served(app, captured, "greet").await,
        (vec!["greet".to_owned()], "hello".to_owned())
    );
}

/// The app has no MCP servers and no review.
#[tokio::test]
async fn folder_tools_are_served_without_mcp_servers() {
    let world = World::project()
        .echo("tools/a.tool.toml", "a", "")
        .file("toolscout.toml", "listed = [\"local/a\"]\n");
    let (app, captured) = started(&world);
    let app = app.plugin(own()).plugin(plugins::Discovery::default()).plugin(plugins::Serve);
    let (listed, output) = served(app, captured, "local__a").await;
    assert_eq!((listed, output.trim()), (vec!["greet".to_owned(), "local__a".to_owned()], "{}"));
}

/// Without the plugin `serve` is an unknown command.
#[tokio::test]
async fn commands_work_without_the_serve_plugin() {
    let world = World::project();
    let (app, captured) = started(&world);
    let app = app.plugin(own()).plugin(plugins::Cli).build().expect("the app builds");
    assert_eq!((app.run(["greet"]).await, captured.out()), (Exit::Done, "hello\n".to_owned()));
    assert_eq!(app.run(["serve"]).await, Exit::NotFound);
}
