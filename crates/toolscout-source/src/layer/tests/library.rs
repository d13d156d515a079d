//! The library of a source is accessible through every layer.

use super::*;
use crate::layer::{Chain, Concurrency, Filter, Prefix, Retry, Timeout};
use toolscout_core::{Library, LibraryContents, LibraryEvent};

struct Shelf(Fake);

impl Library for Shelf {
    fn contents(&self, _: &Cx) -> Result<LibraryContents, SourceError> {
        Ok(LibraryContents {
            instructions: Some("read me".to_owned()),
            ..LibraryContents::default()
        })
    }

    fn request<'a>(
        &'a self,
        _: &'a str,
        params: RawJson,
        _: Cx,
    ) -> BoxFuture<'a, Result<RawJson, SourceError>> {
        Box::pin(async move { Ok(params) })
    }

    fn events(&self) -> BoxStream<'_, LibraryEvent> {
        Box::pin(stream::pending())
    }
}

impl Source for Shelf {
    fn id(&self) -> &SourceId {
        self.0.id()
    }

    fn kind(&self) -> SourceKind {
        self.0.kind()
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        self.0.discover(cx)
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        self.0.load(name, cx)
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        self.0.call(call, cx)
    }

    fn library(&self) -> Option<&dyn Library> {
        Some(self)
    }
}

#[test]
fn every_layer_passes_the_library_on() {
    let mut source: Arc<dyn Source> = Arc::new(Shelf(Fake::new("s", &["a"])));
    let layers: [&dyn Layer; 5] = [
        &Timeout(Duration::from_secs(1)),
        &Retry::default(),
        &Filter::allow(Vec::<String>::new()),
        &Prefix("p_"),
        &Concurrency(1),
    ];
    for layer in layers {
        source = layer.layer(source);
    }
    let plain: Arc<dyn Source> = Arc::new(Fake::new("t", &["b"]));
    assert!(plain.library().is_none());
    let chain = Chain::new(SourceId::new("both").unwrap(), [plain, source]);
    let contents = chain
        .library()
        .expect("the library of the source")
        .contents(&Cx::new(Caller::Cli))
        .expect("the contents of the library");
    assert_eq!(contents.instructions.as_deref(), Some("read me"));
}
