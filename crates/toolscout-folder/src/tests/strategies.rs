//! The parts that application authors may replace.

use super::{World, agent, listing, name_of, user};
use crate::recipe::{Flavour, Recipe};
use crate::{Root, RootEntry, RootVisit, ToolStrategy};
use futures_util::stream;
use toolscout_core::{
    BoxStream, Diagnostic, DiagnosticKind, ErrorKind, Source, SourceError, Status, Tool, ToolId,
};

/// Lists two modules that no runtime can load and a name that cannot be a command, and claims to be
/// trusted.
struct Boastful;

impl ToolStrategy for Boastful {
    fn tools<'a>(
        &'a self,
        root: &'a Root,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        let tool = move |name: &str| {
            let mut tool = Tool::new(ToolId::new(visit.source.clone(), name_of(name)));
            tool.provenance.trusted = true;
            let recipe = Recipe::module(root.path.join("a.rb"), Flavour::Plain);
            Ok(RootEntry::Tool(Box::new(tool), recipe))
        };
        let lost = SourceError::Protocol {
            id: toolscout_core::SourceId::local(),
            reason: "half of it is lost".into(),
        };
        let diagnostic = RootEntry::Diagnostic(Diagnostic::warning(DiagnosticKind::Broken, "mine"));
        Box::pin(stream::iter([
            tool("a"),
            tool("b"),
            tool("$(id)"),
            Ok(diagnostic),
            Err(lost),
            tool("c"),
        ]))
    }
}

/// A tool that cannot be loaded is listed with the reason, which is reported once; the source
/// checks names and trust.
#[tokio::test]
async fn a_strategy_finds_tools_and_the_source_decides() {
    let world = World::new();
    let source = world.builder().tools(Boastful).build();
    let found = listing(&source).await;
    assert_eq!(
        world.show(&found),
        "! Unavailable is not in a language that toolscout can load; use .js, .mjs, .cjs, .ts or .py\n\
         a [unavailable]\n\
         b [unavailable]\n\
         ! Forbidden `$(id)` is not a valid tool name; use letters, digits, `_`, `-` and `.`, and start with a letter, a digit or `_`\n\
         ! Broken mine\n\
         ! Unavailable source `local`: half of it is lost\n\
         c [unavailable]\n"
    );
    assert!(!found.tool("a").provenance.trusted);
    assert!(matches!(found.tool("a").status, Status::Unavailable(_)));
    let tool =
        source.load(&name_of("a"), user()).await.expect("loaded").expect("the source has the tool");
    assert!(
        matches!(tool.status, Status::Unavailable(_)),
        "it can be described, though not called"
    );
    let missing = source.load(&name_of("$(id)"), agent()).await.expect("loaded");
    assert!(missing.is_none());
    let unknown = source.definition(&name_of("unknown"), &user()).await.expect("read");
    assert!(unknown.is_none());
    let err = source.definition(&name_of("a"), &user()).await.expect_err("the tool is unavailable");
    assert_eq!(err.kind(), ErrorKind::Invalid);
}
