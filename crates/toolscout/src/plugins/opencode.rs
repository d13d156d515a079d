//! OpenCode's own tool folder, as a source addressed `opencode:…`.

use crate::{AppError, Plugin, Setup, Startup};
use futures_util::stream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxStream, Source, SourceError, SourceId};
use toolscout_folder::{FolderSource, FolderSourceBuilder, Root, RootLayout, RootStrategy};
use toolscout_workspace::SavedTools;

/// Adds the source `opencode` if the project has a `.opencode/tools` or `.opencode/tool` folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenCode;

const FOLDERS: [&str; 2] = [".opencode/tools", ".opencode/tool"];

impl Plugin for OpenCode {
    fn id(&self) -> &str {
        "opencode"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.add_source(|startup| {
            let Startup { options, environment, config, .. } = startup;
            if let Some(file) = options.text("tools-from") {
                let saved = SavedTools::read(
                    &environment.cwd().join(file),
                    SourceId::opencode(),
                    environment.store(),
                    of_file,
                )?;
                return Ok((!saved.is_empty()).then(|| Arc::new(saved) as Arc<dyn Source>));
            }
            let folders: Vec<_> = config
                .root
                .iter()
                .flat_map(|root| FOLDERS.map(|folder| root.join(folder)))
                .collect();
            if options.switch("no-discovery") || !folders.iter().any(|folder| folder.is_dir()) {
                return Ok(None);
            }
            let there = folders.into_iter().filter(|folder| folder.is_dir()).collect();
            let source = startup
                .folder_builder()?
                .id(SourceId::opencode())
                .roots(OpenCodeFolders(there))
                .build();
            Ok(Some(Arc::new(source) as Arc<dyn Source>))
        });
        Ok(())
    }
}

/// A source over the folder of one such file, for a saved list.
fn of_file(file: PathBuf) -> FolderSourceBuilder {
    FolderSource::builder()
        .roots(OpenCodeFolders(file.parent().into_iter().map(Path::to_owned).collect()))
}

/// Folders in which the default export is named after its file, others `<file>_<export>`.
struct OpenCodeFolders(Vec<PathBuf>);

impl RootStrategy for OpenCodeFolders {
    fn roots(&self) -> BoxStream<'_, Result<Root, SourceError>> {
        let root = |path: &PathBuf| Ok(Root { path: path.clone(), layout: RootLayout::Opencode });
        Box::pin(stream::iter(self.0.iter().map(root)))
    }
}
