//! The projects that this process serves.

use crate::Workspace;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};
use toolscout_core::Cx;
use toolscout_mcp_client::partition;

/// The projects that this process serves, as one of them sees it. Empty in a process that does
/// not serve.
#[derive(Default)]
pub struct ServedProjects(OnceLock<Registration>);

struct Registration {
    id: String,
    all: Arc<[Weak<Workspace>]>,
}

/// In API paths, the first project.
pub const CURRENT: &str = "current";
/// The number of characters that tell apart projects whose folders have the same name.
const SUFFIX: usize = 6;

impl ServedProjects {
    /// Registers these workspaces as the projects of this process; returns their ids.
    pub fn register(workspaces: &[Arc<Workspace>]) -> Vec<String> {
        let configs: Vec<_> = workspaces.iter().map(|workspace| workspace.config()).collect();
        let folders: Vec<&Path> = configs.iter().map(|config| config.project_folder()).collect();
        let ids = project_ids(&folders);
        let all: Arc<[Weak<Workspace>]> = workspaces.iter().map(Arc::downgrade).collect();
        for (id, workspace) in ids.iter().zip(workspaces) {
            let registration = Registration { id: id.clone(), all: all.clone() };
            let _ = workspace.parts.projects.0.set(registration);
        }
        ids
    }
}

impl Workspace {
    /// The id of the project in API paths.
    pub(crate) fn project_id(&self) -> String {
        match self.parts.projects.0.get() {
            Some(registration) => registration.id.clone(),
            None => readable_id(self.config().project_folder()),
        }
    }

    /// All projects that this process serves, the first one first; in a process that does not
    /// serve, this one.
    pub(crate) fn served_projects(&self) -> Vec<ProjectRef<'_>> {
        let all = self.parts.projects.0.get().into_iter().flat_map(|there| there.all.iter());
        let all: Vec<_> =
            all.filter_map(|project| project.upgrade().map(ProjectRef::Shared)).collect();
        if all.is_empty() { vec![ProjectRef::Own(self)] } else { all }
    }

    /// The projects that a request is about: all served ones if it names none, otherwise this one.
    pub(crate) fn projects_of(&self, cx: &Cx) -> Vec<ProjectRef<'_>> {
        if cx.all_projects { self.served_projects() } else { vec![ProjectRef::Own(self)] }
    }

    /// The served project of this id; `current` is the first one for a request that names no
    /// project, otherwise this one.
    pub(crate) fn project(&self, id: &str, cx: &Cx) -> Option<ProjectRef<'_>> {
        let mut projects = self.projects_of(cx).into_iter();
        projects.find(|project| id == CURRENT || project.project_id() == id)
    }
}

/// The workspace of a project: the one of the request, or another one of this process.
pub(crate) enum ProjectRef<'a> {
    Own(&'a Workspace),
    Shared(Arc<Workspace>),
}

impl Deref for ProjectRef<'_> {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        match self {
            Self::Own(workspace) => workspace,
            Self::Shared(workspace) => workspace,
        }
    }
}

impl ProjectRef<'_> {
    /// The same request, about this project.
    pub(crate) fn request(&self, cx: &Cx) -> Cx {
        match self {
            Self::Own(_) => cx.clone(),
            Self::Shared(workspace) => {
                let Cx { project, observers, .. } = workspace.tools.request();
                Cx { project, observers, ..cx.clone() }
            }
        }
    }
}

/// The ids of these projects: the names of their folders. Projects with the same name all get a
/// suffix of their path, so that no id depends on the order of the projects.
fn project_ids(folders: &[&Path]) -> Vec<String> {
    let names: Vec<String> = folders.iter().map(|folder| readable_id(folder)).collect();
    let mut counts = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name.as_str()).or_insert(0) += 1);
    let id = |(name, folder): (&String, &&Path)| {
        if counts[name.as_str()] == 1 {
            name.clone()
        } else {
            format!("{name}-{}", &partition(folder)[..SUFFIX])
        }
    };
    names.iter().zip(folders).map(id).collect()
}

/// The name of a folder in characters that need no escape in a URL.
fn readable_id(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let plain: String =
        name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    match plain.trim_matches(['-', '.']) {
        "" => "project".to_owned(),
        CURRENT => format!("{CURRENT}-project"),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(folders: &[&str]) -> Vec<String> {
        project_ids(&folders.iter().map(Path::new).collect::<Vec<_>>())
    }

    /// M-15b
    #[test]
    fn ids_are_folder_names_in_characters_for_urls() {
        let folders = ["/src/alpha", "/src/My Shop", "/src/.hidden", "/", "/src/current"];
        assert_eq!(ids(&folders), ["alpha", "My-Shop", "hidden", "project", "current-project"]);
    }

    /// M-15b
    #[test]
    fn projects_with_the_same_name_get_suffixes_that_do_not_depend_on_their_order() {
        let forward = ids(&["/src/a/api", "/src/b/api", "/src/web"]);
        let backward = ids(&["/src/web", "/src/b/api", "/src/a/api"]);
        assert_eq!(forward.iter().rev().collect::<Vec<_>>(), backward.iter().collect::<Vec<_>>());
        assert_ne!(forward[0], forward[1]);
        assert!(forward[0].starts_with("api-") && forward[2] == "web", "{forward:?}");
    }
}
