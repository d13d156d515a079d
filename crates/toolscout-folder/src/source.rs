//! The folder source: lists, loads and calls the tools under its roots.

mod build;
mod discover;
mod files;
mod start;

pub use build::{FolderSourceBuilder, Probing};

use super::gather::{Gathering, ListedTool, ToolTable};
use super::inspect;
use super::manifest::ProbedDefinition;
use super::prober::Prober;
use super::prompts::{Prompt, PromptLibrary};
use super::roots::Root;
use super::strategy::RootVisit;
use super::streams::{BUFFER_SIZE, stream_of};
use super::watch;
use futures_util::StreamExt;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, DiscoveryItem, Library, Source, SourceError, SourceId,
    SourceKind, Tool, ToolCall, ToolName, ToolOutput, escape,
};

/// Tools in folders.
///
/// ```
/// use toolscout_folder::{DefaultRoot, FolderSource};
/// let source = FolderSource::builder().roots(DefaultRoot { from: ".".into() }).build();
/// ```
pub struct FolderSource {
    config: FolderSourceBuilder,
    prober: Prober,
    /// The result of the last complete discovery. A running discovery builds its own table aside.
    table: Mutex<Option<Arc<ToolTable>>>,
    prompts: PromptLibrary,
}

impl FolderSource {
    /// A builder without roots that trusts no folder.
    pub fn builder() -> FolderSourceBuilder {
        FolderSourceBuilder::default()
    }

    /// Whether the folder of a listed tool is trusted; `None` if no such tool is listed. Lets tests
    /// check which table is current.
    #[cfg(test)]
    pub(super) fn trusts(&self, name: &ToolName) -> Option<bool> {
        let listed = self.current()?.get(name)?.clone();
        Some((self.config.trust)(&listed.location.root.path).is_trusted())
    }

    /// The definition from the file behind a tool, without the manifest or header. `None` if this
    /// source does not list the tool, or if the tool's kind cannot be probed. May start the file,
    /// if it is trusted.
    pub async fn definition(
        &self,
        name: &ToolName,
        cx: &Cx,
    ) -> Result<Option<ProbedDefinition>, SourceError> {
        let Some(listed) = self.fresh(name, cx).await? else { return Ok(None) };
        let Some(file) = listed.recipe.probe_file() else { return Ok(None) };
        let is_trusted = self.is_covered(&listed, cx).await;
        let own = self.probe_definition(&listed, is_trusted, cx).await?;
        Ok(Some(ProbedDefinition {
            name: name.as_str().to_owned(),
            path: file.to_owned(),
            description: own
                .description
                .or_else(|| listed.tool.description.clone().filter(|_| own.lacks_schema)),
            input_schema: if own.lacks_schema {
                listed.tool.input_schema.clone()
            } else {
                own.input_schema
            },
            lacks_schema: own.lacks_schema,
        }))
    }

    fn visit(&self, root: &Root, cx: &Cx) -> RootVisit {
        RootVisit {
            is_trusted: (self.config.trust)(&root.path).is_trusted(),
            source: self.config.id.clone(),
            store: self.config.store.clone(),
            cx: cx.clone(),
        }
    }

    fn current(&self) -> Option<Arc<ToolTable>> {
        self.table.lock().clone()
    }

    fn publish(&self, (table, prompts): (ToolTable, Vec<Prompt>)) {
        *self.table.lock() = Some(Arc::new(table));
        self.prompts.publish(prompts);
    }

    /// The listed tools. Runs a discovery if there was none yet.
    async fn table(&self, cx: &Cx) -> Result<Arc<ToolTable>, SourceError> {
        if let Some(table) = self.current() {
            return Ok(table);
        }
        let mut items = self.discover(cx.clone());
        while let Some(item) = items.next().await {
            item?;
        }
        Ok(self.current().unwrap_or_default())
    }

    /// Replaces one tool in the current table.
    fn replace(&self, listed: &Arc<ListedTool>) {
        let mut current = self.table.lock();
        if let Some(table) = current.as_mut() {
            Arc::make_mut(table).insert(listed.tool.id.name.clone(), listed.clone());
        }
    }
}

impl Source for FolderSource {
    fn id(&self) -> &SourceId {
        &self.config.id
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Folder
    }

    /// Cancel-safe: the previous table stays current until the reader has taken every item.
    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        stream_of(|out| async move {
            let mut gathering = Gathering::new(&out, self.config.rules);
            if self.gather(&mut gathering, &cx).await.is_ok() {
                let all = gathering.into_parts();
                // All permits are free once the reader has taken everything.
                if out.reserve_many(BUFFER_SIZE).await.is_ok() {
                    self.publish(all);
                }
            }
        })
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move { self.full_tool(name, &cx).await })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move { self.start(call.into_inner(), &cx).await })
    }

    fn library(&self) -> Option<&dyn Library> {
        Some(&self.prompts)
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        watch::changes(&*self.config.roots, &*self.config.tools, &self.config.explicit)
    }
}

/// The command that trusts a root, as the user types it.
fn trust_command(root: &Path) -> String {
    let root = root.display().to_string();
    format!("toolscout trust {}", inspect::shell_word(&escape::line(&root)))
}
