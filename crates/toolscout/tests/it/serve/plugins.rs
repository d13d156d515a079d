//! B-25: programs that are put together otherwise: a server without commands, tools of one's own without discovery, folders
//! without servers, commands without a server.

use crate::servers::scene::until;
use crate::world::World;
use serde_json::json;
use toolscout::core::ToolOutput;
use toolscout::source::ToolBuilder;
use toolscout::surface::codes::Exit;
use toolscout::{App, AppBuilder, Captured, Environment, plugins};

/// A file that cannot be read: who reads no configuration does not mind.
const BROKEN: &str = "this is [ no toml";

fn own() -> plugins::Registry {
    let tool = ToolBuilder::new("greet").expect("a name").description("Greet somebody").listed();
    let tool = tool.run(|_, _| async { Ok(ToolOutput::text("hello")) });
    plugins::Registry::default().tool(tool).expect("the only one")
}

fn begun(world: &World) -> (AppBuilder, Captured) {
    let (environment, captured) =
        Environment::captured(&world.path(""), &[("TOOLSCOUT_TRUST", "1")]);
    (App::builder("mine").environment(environment), captured)
}

/// Serves what was put together over HTTP; gives the names it lists, and what `call` says.
async fn served(app: AppBuilder, captured: Captured, call: &'static str) -> (Vec<String>, String) {
    let app = app.build().expect("the plugins fit together");
    let mut serving = tokio::task::JoinSet::new();
    serving
        .spawn(async move { app.run(["serve", "--http", "127.0.0.1:0", "--auth", "none"]).await });
    let asked = tokio::task::spawn_blocking(move || {
        until("it listens", || captured.err().contains("listening on"));
        let said = captured.err();
        let addr = said
            .split("listening on http://")
            .nth(1)
            .and_then(|it| it.split("/mcp").next())
            .expect("an address");
        let web = super::web::Client { addr: addr.to_owned() };
        let mut session = web.session("/mcp", &[]);
        (session.listed(), session.text(call, json!({})))
    });
    asked.await.expect("an answer")
}

/// A server without any command but `serve`, and explicit tools without discovery.
#[tokio::test]
async fn tools_of_one_s_own_are_served_without_anything_else() {
    let world = World::project().file("toolscout.toml", BROKEN).echo("tools/a.tool.toml", "a", "");
    let (app, captured) = begun(&world);
    let app = app.plugin(own()).plugin(plugins::Serve);
    assert_eq!(
        served(app, captured, "greet").await,
        (vec!["greet".to_owned()], "hello".to_owned())
    );
}

/// Folders, without servers and without anybody who reviews.
#[tokio::test]
async fn folders_are_served_without_servers() {
    let world = World::project()
        .echo("tools/a.tool.toml", "a", "")
        .file("toolscout.toml", "listed = [\"local/a\"]\n");
    let (app, captured) = begun(&world);
    let app = app.plugin(own()).plugin(plugins::Discovery::default()).plugin(plugins::Serve);
    let (listed, said) = served(app, captured, "local__a").await;
    assert_eq!((listed, said.trim()), (vec!["greet".to_owned(), "local__a".to_owned()], "{}"));
}

/// Commands without a server: `serve` is then as unknown as anything else.
#[tokio::test]
async fn commands_work_without_a_server() {
    let world = World::project();
    let (app, captured) = begun(&world);
    let app = app.plugin(own()).plugin(plugins::Cli).build().expect("the plugins fit together");
    assert_eq!((app.run(["greet"]).await, captured.out()), (Exit::Done, "hello\n".to_owned()));
    assert_eq!(app.run(["serve"]).await, Exit::NotFound);
}
