//! 1. An application supplies its own roots, its own file type and its own command. Everything else
//!    works as usual.
//! 2. The tests run the example that shows this, so the example stays valid.

use crate::world::World;
use toolscout::Environment;
use toolscout::surface::codes::Exit;

#[expect(dead_code, reason = "`main` is used only by the example itself")]
#[path = "../../examples/embed.rs"]
mod embed;

fn book() -> World {
    World::bare()
        .file(
            "teams/web/tasks.txt",
            "# name: command # what it does\nlinks: echo all fine  # Check the links\nbuild: cat\n",
        )
        .file(
            "teams/ops/tasks.txt",
            "disk: echo plenty # How full the disk is\n\nthis is no task\n",
        )
        .file("tools/a.tool.toml", "name = \"a\"\n[run]\ncommand = [\"cat\"]\n")
}

async fn run(world: &World, args: &[&str]) -> (Exit, String, String) {
    let (environment, captured) = Environment::captured(&world.path(""), &[]);
    let app = embed::app(environment).expect("the app builds");
    let exit = app.run(args.iter().map(|arg| (*arg).to_owned())).await;
    (exit, captured.out(), captured.err())
}

/// Section 8 of the product: diagnostics of the application's file type are reported like all
/// others.
#[tokio::test]
async fn an_embedding_application_supplies_its_own_roots_and_file_types() {
    let world = book();
    let (exit, out, err) = run(&world, &["tools"]).await;
    assert_eq!(exit, Exit::Done);
    assert_eq!(
        out,
        "  disk - How full the disk is\n  links - Check the links\n  build - (no description)\n"
    );
    assert!(err.contains("tasks.txt: line 3: a task is written"), "{err}");
    assert_eq!(err.matches("warning:").count(), 1, "{err}");
}

/// Section 8 of the product: each tool has help, and search finds it.
#[tokio::test]
async fn tools_of_an_embedding_application_are_commands() {
    let world = book();
    assert_eq!(
        run(&world, &["--quiet", "links"]).await,
        (Exit::Done, "all fine\n".to_owned(), String::new())
    );
    assert_eq!(run(&world, &["--quiet", "run", "local/disk"]).await.1, "plenty\n");
    assert!(run(&world, &["disk", "--help"]).await.1.starts_with("Usage: tasks disk"));
    assert!(
        run(&world, &["--quiet", "search", "links"])
            .await
            .1
            .contains("local/links - Check the links")
    );
    assert_eq!(run(&world, &["tools", "--strict"]).await.0, Exit::Usage);
}

/// Section 8 of the product
#[tokio::test]
async fn an_embedding_application_adds_its_own_commands() {
    let world = book();
    assert_eq!(
        run(&world, &["--quiet", "teams"]).await,
        (Exit::Done, "ops: 1\nweb: 2\n".to_owned(), String::new())
    );
    let help = run(&world, &["--quiet", "--help"]).await.1;
    assert!(
        help.contains("Say how many tasks each team has") && help.contains("How full the disk is"),
        "{help}"
    );
}
