//! The files that a tool consists of, and those that a call starts.

use crate::recipe::Recipe;
use crate::trust::FileToStart;
use std::path::{Path, PathBuf};
use toolscout_core::{Cx, Tool};

/// The files that a tool consists of: the one that describes it, and those that a call starts. The
/// content of the first is known if the tool was listed with it.
pub(super) fn files_of(tool: &Tool, recipe: &Recipe, root: &Path, cx: &Cx) -> Vec<FileToStart> {
    let described = tool.provenance.path.clone();
    let described = described.map(|path| FileToStart { path, content: tool.provenance.content });
    let started = files_to_start(recipe, root, cx).into_iter();
    let started = started.filter(|path| tool.provenance.path.as_ref() != Some(path));
    described.into_iter().chain(started.map(|path| FileToStart { path, content: None })).collect()
}

/// The files of the folder that a call starts or passes to an interpreter.
pub(super) fn files_to_start(recipe: &Recipe, root: &Path, cx: &Cx) -> Vec<PathBuf> {
    match recipe {
        Recipe::Executable { program, .. } => vec![program.clone()],
        Recipe::Module { file, .. } => vec![file.clone()],
        Recipe::Command(command) => {
            let is_path = |text: &String| text.contains(std::path::is_separator);
            let program = command
                .argv
                .first()
                .filter(|argv| is_path(argv))
                .map(|argv| command.folder.join(argv));
            let cwd = command.working_folder(cx);
            let given = command.argv.iter().skip(1).map(|argv| cwd.join(argv));
            program
                .into_iter()
                .chain(given.filter(|value| value.is_file() && value.starts_with(root)))
                .collect()
        }
        Recipe::Http(_) | Recipe::Missing { .. } => Vec::new(),
    }
}
