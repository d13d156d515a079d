//! Tests of the folder source: a small world on disk in, a page of text out.
//!
//! 1. `listing`: which tools are found, in which order, and name conflicts.
//! 2. `roots`: which folders are searched.
//! 3. `tool_files`, `headers`, `manifests`, `programs`: each kind of description, and each way it
//!    can be invalid.
//! 4. `hostile`: links, pipes, huge and foreign files.
//! 5. `probing`: trust, probing, loading, calling.
//! 6. `strategies`: the parts that application authors may replace.
//! 7. `prompts`: the prompts of a project.
//! 8. `cache` and `watching`: unchanged files are not opened again, changes are noticed.

mod cache;
mod headers;
mod hostile;
mod listing;
mod manifests;
mod probing;
mod programs;
mod prompts;
mod roots;
mod strategies;
mod tool_files;
mod watching;

use super::{ExplicitRoots, FolderSource, FolderSourceBuilder, ToolDirectories};
use futures_util::StreamExt;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use toolscout_core::cx::Caller;
use toolscout_core::{
    Cx, Diagnostic, DiagnosticLevel, DiscoveryItem, Source, SourceError, Tool, ToolName,
};

/// Folders and files for one test.
struct World {
    _folder: TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = fs::canonicalize(folder.path()).expect("its real path");
        Self { _folder: folder, root }
    }

    /// A world with one project that contains these files.
    fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        for (path, text) in files {
            world.file(path, text);
        }
        world
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Writes a file that only its owner may write, and its parent folders.
    fn file(&self, relative: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(relative);
        let mut folder = self.root.clone();
        for part in Path::new(relative).parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            if fs::create_dir(&folder).is_ok() {
                self.mode(&folder, 0o755);
            }
        }
        fs::write(&path, text).expect("a written file");
        self.mode(&path, 0o644);
        self
    }

    /// Writes an executable file.
    fn script(&self, relative: &str, text: &str) -> &Self {
        self.file(relative, text);
        self.mode(&self.path(relative), 0o755);
        self
    }

    fn mode(&self, path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions set");
    }

    /// A source with the whole world as its one project.
    fn source(&self) -> FolderSource {
        self.builder().build()
    }

    fn builder(&self) -> FolderSourceBuilder {
        FolderSource::builder().roots(ExplicitRoots(vec![self.root.clone()]))
    }

    /// A source with folders of tools.
    fn folders(&self, folders: &[&str]) -> FolderSourceBuilder {
        FolderSource::builder()
            .roots(ToolDirectories(folders.iter().map(|folder| self.path(folder)).collect()))
    }

    async fn page(&self) -> String {
        self.show(&listing(&self.source()).await)
    }

    fn show(&self, listing: &Listing) -> String {
        listing.page(&self.root)
    }
}

/// A tool file with only a name, a description and a command.
fn tool_file(name: &str, description: &str) -> String {
    format!("name = \"{name}\"\ndescription = \"{description}\"\n[run]\ncommand = [\"true\"]\n")
}

/// All items of one discovery.
#[derive(Default)]
struct Listing {
    found: Vec<DiscoveryItem>,
    error: Option<SourceError>,
}

impl Listing {
    fn tools(&self) -> Vec<&Tool> {
        self.found
            .iter()
            .filter_map(
                |item| if let DiscoveryItem::Tool(tool) = item { Some(&**tool) } else { None },
            )
            .collect()
    }

    fn diagnostics(&self) -> Vec<&Diagnostic> {
        self.found
            .iter()
            .filter_map(|item| {
                if let DiscoveryItem::Diagnostic(diagnostic) = item {
                    Some(diagnostic)
                } else {
                    None
                }
            })
            .collect()
    }

    fn names(&self) -> Vec<&str> {
        self.tools().into_iter().map(|tool| tool.id.name.as_str()).collect()
    }

    fn tool(&self, name: &str) -> &Tool {
        self.tools()
            .into_iter()
            .rev()
            .find(|tool| tool.id.name.as_str() == name)
            .expect("a tool of this name")
    }

    /// The items as a page of text, with paths relative to the root.
    fn page(&self, root: &Path) -> String {
        let mut page = String::new();
        for found in &self.found {
            match found {
                DiscoveryItem::Tool(tool) => {
                    page += &format!("{} [{}]", tool.id.name, tool.status.as_str());
                    if let Some(description) = &tool.description {
                        page += &format!(" {description}");
                    }
                    page += "\n";
                }
                DiscoveryItem::Diagnostic(diagnostic)
                    if diagnostic.level == DiagnosticLevel::Warning =>
                {
                    page += &format!("! {}\n", line(diagnostic))
                }
                _ => {}
            }
        }
        if let Some(error) = &self.error {
            page += &format!("stopped: {error}\n");
        }
        page.replace(&format!("{}/", root.display()), "").replace(&root.display().to_string(), ".")
    }
}

fn line(diagnostic: &Diagnostic) -> String {
    let path =
        diagnostic.path.as_ref().map(|path| format!(" {}:", path.display())).unwrap_or_default();
    format!("{:?}{path} {}", diagnostic.kind, diagnostic.message)
}

fn name_of(text: &str) -> ToolName {
    ToolName::new(text).expect("a name")
}

fn user() -> Cx {
    Cx::new(Caller::Cli)
}

fn agent() -> Cx {
    Cx::new(Caller::Mcp)
}

async fn listing(source: &FolderSource) -> Listing {
    let mut listing = Listing::default();
    let mut stream = source.discover(user());
    while let Some(found) = stream.next().await {
        match found {
            Ok(found) => listing.found.push(found),
            Err(err) => listing.error = Some(err),
        }
    }
    listing
}
