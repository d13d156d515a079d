//! Every client's files become our entries; what is shown never holds a secret; nothing is written before somebody says so.
//! What each file proves is said at its top.

mod clients;
mod command;
mod planning;
mod references;

use super::look::Content;
use super::{Homes, Looking};
use crate::{App, Surroundings, plugins};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use toolscout_surface::codes::Exit;

/// A person's home, and a project in it.
struct World {
    dir: TempDir,
}

/// What a run gave.
#[derive(Debug)]
struct Ran {
    out: String,
    err: String,
    exit: Exit,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let world = Self { dir };
        world.file("desk/package.json", "{}")
    }

    /// Writes a file, relative to the home folder.
    fn file(self, path: &str, text: &str) -> Self {
        let file = self.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("make folders");
        fs::write(file, text).expect("write a file");
        self
    }

    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("its real path")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|_| "(no file)".to_owned())
    }

    fn surroundings(&self) -> (Surroundings, crate::Captured) {
        let home = self.home().display().to_string();
        Surroundings::captured(&self.path("desk"), &[("HOME", &home)])
    }

    fn homes(&self) -> Homes {
        Homes::of(&self.surroundings().0, &self.path("desk"))
    }

    /// Runs `import` in the project.
    async fn import(&self, args: &[&str]) -> Ran {
        let (surroundings, captured) = self.surroundings();
        let app = App::builder("toolscout").plugin(plugins::Import).surroundings(surroundings).build();
        let args = ["import"].into_iter().chain(args.iter().copied());
        let exit = app.expect("one plugin fits").run(args).await;
        Ran { out: captured.out(), err: captured.err(), exit }
    }

    /// What is read from the files of this client, as text: our entries, and the notes about them. Paths below the home
    /// folder start with `~`.
    fn entries(&self, client: &str) -> String {
        let client = super::named(client).expect("a client of this name");
        let text = render(Looking::at(&[client], &self.homes(), None));
        text.replace(&self.home().display().to_string(), "~")
    }

    fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.home()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => files.push((path.clone(), fs::read(&path).expect("a file"))),
                }
            }
        }
        files.sort();
        files
    }
}

fn render(looking: Looking) -> String {
    let mut text = String::new();
    for file in looking.files {
        let servers = match file.content {
            Content::Servers(servers) => servers,
            Content::Native => {
                text += &format!("{}: native\n", name(&file.path));
                continue;
            }
            Content::Broken(reason) => {
                text += &format!("{}: broken: {reason}\n", name(&file.path));
                continue;
            }
        };
        for server in servers {
            text += &format!("[{}]\n", server.name);
            text += &match &server.entry {
                Ok(entry) => toml::to_string(entry).expect("an entry"),
                Err(reason) => format!("! {reason}\n"),
            };
            text.extend(server.notes.iter().map(|it| format!("# {it}\n")));
        }
    }
    text
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

impl Ran {
    /// Expects this exit, and none of these anywhere in what was printed or said.
    fn hides(self, secrets: &[&str]) -> Self {
        for secret in secrets {
            assert!(!self.out.contains(secret) && !self.err.contains(secret), "{secret:?} is in {self:?}");
        }
        self
    }

    fn done(self) -> Self {
        assert_eq!(self.exit, Exit::Done, "{self:?}");
        self
    }

    /// Expects all of these in what was printed.
    fn shows(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part), "{part:?} is not in:\n{}", self.out);
        }
        self
    }

    /// Expects all of these in what was said.
    fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in:\n{}", self.err);
        }
        self
    }
}
