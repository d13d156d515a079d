//! The command, from the command line to the files on disk.

mod command;

use crate::{App, Environment, plugins};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use toolscout_surface::codes::Exit;

/// A home folder with a project in it.
struct World {
    dir: TempDir,
}

/// The result of a run.
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

    fn environment(&self) -> (Environment, crate::Captured) {
        let home = self.home().display().to_string();
        Environment::captured(&self.path("desk"), &[("HOME", &home)])
    }

    /// Runs `import` in the project.
    async fn import(&self, args: &[&str]) -> Ran {
        let (environment, captured) = self.environment();
        let app =
            App::builder("toolscout").plugin(plugins::Import).environment(environment).build();
        let args = ["import"].into_iter().chain(args.iter().copied());
        let exit = app.expect("the app builds").run(args).await;
        Ran { out: captured.out(), err: captured.err(), exit }
    }

    fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.home()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path)
                } else {
                    files.push((path.clone(), fs::read(&path).expect("a file")))
                }
            }
        }
        files.sort();
        files
    }
}

impl Ran {
    /// Checks that none of these secrets is in the output or the messages.
    fn hides(self, secrets: &[&str]) -> Self {
        for secret in secrets {
            assert!(
                !self.out.contains(secret) && !self.err.contains(secret),
                "{secret:?} is in {self:?}"
            );
        }
        self
    }

    fn done(self) -> Self {
        assert_eq!(self.exit, Exit::Done, "{self:?}");
        self
    }

    /// Checks that the output contains all of these.
    fn shows(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part), "{part:?} is not in:\n{}", self.out);
        }
        self
    }

    /// Checks that the messages contain all of these.
    fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in:\n{}", self.err);
        }
        self
    }
}
