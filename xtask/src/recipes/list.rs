//! The recipes, and the proof that each of them works.

use super::proof::{Programs, Project, expect, output};
use super::{Listing, Recipe};
use std::process::Command;

pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        adds: "an operation",
        file: Some((
            "crates/toolscout-workspace/src/operations/greet.rs",
            include_str!("../../recipes/operation.rs"),
        )),
        list: Listing {
            file: "crates/toolscout-workspace/src/operations.rs",
            lines: &[
                ("mod feedback;", "mod greet;"),
                (
                    "pub const OPERATIONS: &[(&[&str], BindOperation)] = &[",
                    r#"(&["cli"], BoundOperation::new::<Workspace, greet::Greet>),"#,
                ),
            ],
        },
        proof: operation,
    },
    Recipe {
        adds: "a setting",
        file: None,
        list: Listing {
            file: "crates/toolscout-config/src/settings.rs",
            lines: &[
                ("pub ignore: Option<Vec<String>>,", "pub favourite_color: Option<String>,"),
                (
                    "pub ignore: Option<Vec<String>>,",
                    "/// The color that every overview should have.",
                ),
            ],
        },
        proof: setting,
    },
    Recipe {
        adds: "a source kind",
        file: Some((
            "crates/toolscout/src/plugins/discovery/fortune.rs",
            include_str!("../../recipes/source_kind.rs"),
        )),
        list: Listing {
            file: "crates/toolscout/src/plugins/discovery.rs",
            lines: &[
                ("mod ask_trust;", "mod fortune;"),
                ("preset::source, // Tools that agents have by themselves.", "fortune::source,"),
            ],
        },
        proof: source_kind,
    },
    Recipe {
        adds: "a ranking signal",
        file: Some((
            "crates/toolscout-index/src/signal/brevity.rs",
            include_str!("../../recipes/ranking_signal.rs"),
        )),
        list: Listing {
            file: "crates/toolscout-index/src/signal.rs",
            lines: &[("mod approval;", "mod brevity;"), ("approval::signal,", "brevity::signal,")],
        },
        proof: ranking_signal,
    },
    Recipe {
        adds: "a way for a server to misbehave",
        file: Some((
            "crates/toolscout-hostile/src/modes/shout.rs",
            include_str!("../../recipes/hostile_mode.rs"),
        )),
        list: Listing {
            file: "crates/toolscout-hostile/src/modes.rs",
            lines: &[
                ("mod schema;", "mod shout;"),
                ("const CATEGORIES: &[(&str, &[Mode])] = &[", r#"("metadata", shout::MODES),"#),
            ],
        },
        proof: hostile_mode,
    },
];

/// The new operation is a command with help, and shows its output as JSON.
fn operation(programs: &Programs) -> anyhow::Result<()> {
    let project = Project::new(programs, "")?;
    expect(&project.toolscout(&["greet", "Ada"])?, "Hello, Ada!")?;
    expect(&project.toolscout(&["greet", "Ada", "--json"])?, r#""greeting": "Hello, Ada!""#)?;
    expect(&project.toolscout(&["greet", "--help"])?, "The person to greet")
}

/// The key is known: an unknown key causes a warning.
fn setting(programs: &Programs) -> anyhow::Result<()> {
    let known = Project::new(programs, "favourite_color = \"green\"\n")?.toolscout(&["tools"])?;
    anyhow::ensure!(!known.contains("favourite_color"), "the setting is not known:\n{known}");
    let unknown =
        Project::new(programs, "favourite_colour = \"green\"\n")?.toolscout(&["tools"])?;
    expect(&unknown, "favourite_color")
}

/// The tool of the new source is listed and runs.
fn source_kind(programs: &Programs) -> anyhow::Result<()> {
    let project = Project::new(programs, "")?;
    expect(&project.toolscout(&["tools"])?, "Tell a fortune")?;
    expect(&project.toolscout(&["run", "fortune/tell"])?, "You will write a small file.")
}

/// The new signal adds its reason to a hit.
fn ranking_signal(programs: &Programs) -> anyhow::Result<()> {
    let project = Project::new(programs, "")?;
    expect(&project.toolscout(&["search", "tell", "a", "fortune"])?, "short name")
}

/// The mode is listed, and described.
fn hostile_mode(programs: &Programs) -> anyhow::Result<()> {
    expect(&output(Command::new(&programs.hostile).arg("--list"))?, "shout")?;
    expect(
        &output(Command::new(&programs.hostile).args(["--describe", "shout"]))?,
        "capital letters",
    )
}
