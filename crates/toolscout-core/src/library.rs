//! The contents of a source besides tools: resources, prompts, completion.

use crate::{BoxFuture, BoxStream, Cx, RawJson, SourceError};

/// Access to resources, prompts and completion of a source, in terms of the MCP protocol:
/// definitions, requests and results pass unchanged.
pub trait Library: Send + Sync {
    /// The known contents. Starts nothing.
    fn contents(&self, cx: &Cx) -> Result<LibraryContents, SourceError>;

    /// Forwards a request such as `resources/read`, `prompts/get` or `completion/complete`; starts
    /// the server if necessary.
    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
        cx: Cx,
    ) -> BoxFuture<'a, Result<RawJson, SourceError>>;

    /// Events of the running server. Several events of one kind may be merged into one.
    fn events(&self) -> BoxStream<'_, LibraryEvent>;
}

/// The known contents of a library.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LibraryContents {
    /// The server's `capabilities` object, as received; none if it is not known.
    pub capabilities: Option<RawJson>,
    /// The instructions that the server sent, not escaped.
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
    /// The list of resources, or a definition in it, changed.
    ResourcesChanged,
    /// The list of prompts, or a definition in it, changed.
    PromptsChanged,
    /// The content of a subscribed resource changed. Contains the parameters of the notification,
    /// as received.
    ResourceUpdated(RawJson),
    /// The server sent a log message. Contains the parameters of the notification, as received.
    Logged(RawJson),
}
