//! What a source has besides tools: resources, prompts, completion.

use crate::{BoxFuture, BoxStream, Cx, RawJson, SourceError};

/// What a source has besides tools, in the words of the MCP protocol: definitions, requests and results pass as they came.
pub trait Library: Send + Sync {
    /// What is known to be there. Starts nothing.
    fn holdings(&self, cx: &Cx) -> Result<LibraryContents, SourceError>;

    /// Takes a request there, such as `resources/read`, `prompts/get` or `completion/complete`; starts what must run for it.
    fn request<'a>(&'a self, method: &'a str, params: RawJson, cx: Cx) -> BoxFuture<'a, Result<RawJson, SourceError>>;

    /// What happens there while it runs; several events of a kind may be seen as one.
    fn events(&self) -> BoxStream<'_, LibraryEvent>;
}

/// What is known of a library.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LibraryContents {
    /// The server's `capabilities` object, as it came; null where nobody knows.
    pub capabilities: Option<RawJson>,
    /// What it said about how to use it, not escaped.
    pub instructions: Option<String>,
    /// Definitions of resources.
    pub resources: Vec<RawJson>,
    /// Definitions of resource templates.
    pub templates: Vec<RawJson>,
    /// Definitions of prompts.
    pub prompts: Vec<RawJson>,
}

/// Something that happened in a library.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LibraryEvent {
    /// There are others, or they are described otherwise.
    ResourcesChanged,
    /// There are others, or they are described otherwise.
    PromptsChanged,
    /// A resource that somebody subscribed to says something else now: the parameters of the notification, as they came.
    ResourceUpdated(RawJson),
    /// Its log says something: the parameters of the notification, as they came.
    Logged(RawJson),
}
