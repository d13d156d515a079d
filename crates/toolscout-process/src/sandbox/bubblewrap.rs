//! Bubblewrap as a runner: a mount namespace that contains only what the policy grants, so that
//! everything else does not exist for the program, and process and network namespaces of its own.
//!
//! Landlock cannot confine the files of such a program, because it forbids mounting; it still
//! checks TCP ports. bubblewrap applies the seccomp filters when everything is mounted.

use super::{NetworkAccess, SandboxPolicy};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where package managers install it. The PATH of a server may name a program of the server.
const FOLDERS: [&str; 3] = ["/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/// The most links that are followed for one path, as in the kernel.
const MAX_LINKS: usize = 40;

/// The program, if it is installed.
pub(super) fn find() -> Option<PathBuf> {
    FOLDERS.iter().map(|folder| Path::new(folder).join("bwrap")).find(|path| path.is_file())
}

/// A program to run inside of another one.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) program: PathBuf,
    /// The arguments before the wrapped program.
    pub(crate) args: Vec<OsString>,
}

impl Wrapper {
    /// The wrapper of a program. `system` are the files that every program may read, `filters` the
    /// descriptors from which bubblewrap reads the seccomp filters.
    pub(super) fn new(
        bwrap: PathBuf,
        policy: &SandboxPolicy,
        system: impl Iterator<Item = &'static str>,
        program: &Path,
        cwd: &Path,
        filters: &[i32],
    ) -> Self {
        let mut args: Vec<OsString> = Vec::new();
        let mut add = |words: &[&str]| args.extend(words.iter().map(OsString::from));
        add(&["--die-with-parent", "--cap-drop", "ALL"]);
        // The program is the first process of its namespace: with a process of bubblewrap above it,
        // it could read the memory of that one.
        add(&["--as-pid-1"]);
        add(&["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]);
        if policy.network == NetworkAccess::None {
            add(&["--unshare-net"]);
        }
        add(&["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
        for filter in filters {
            add(&["--add-seccomp-fd", &filter.to_string()]);
        }
        let layout = Layout::new(policy, system, &[program, cwd]);
        for (path, is_writable) in &layout.mounts {
            args.push(if *is_writable { "--bind" } else { "--ro-bind" }.into());
            args.extend([path, path].map(|path| path.as_os_str().to_owned()));
        }
        for (path, target) in layout.links() {
            args.push("--symlink".into());
            args.extend([target, path].map(|path| path.as_os_str().to_owned()));
        }
        // The folders above a mount are made for it. Their lists would show what else is granted.
        for folder in layout.folders_above() {
            args.extend(["--chmod", "0111"].map(OsString::from));
            args.push(folder.into());
        }
        args.extend([OsString::from("--chdir"), cwd.into(), OsString::from("--")]);
        Self { program: bwrap, args }
    }
}

/// What the namespace contains.
#[derive(Default)]
struct Layout {
    /// Real paths, each after the folders that contain it, and whether they may be written.
    mounts: BTreeMap<PathBuf, bool>,
    /// Links on the way to them, and their targets as written. A program may find its files from
    /// the path behind a link.
    links: BTreeMap<PathBuf, PathBuf>,
}

impl Layout {
    /// `named` are paths to reach if they are granted.
    fn new(
        policy: &SandboxPolicy,
        system: impl Iterator<Item = &'static str>,
        named: &[&Path],
    ) -> Self {
        let mut layout = Self::default();
        for path in &policy.write {
            layout.add(path, true);
        }
        for path in system.map(PathBuf::from).chain(policy.read.iter().cloned()) {
            layout.add(&path, false);
        }
        for path in named {
            layout.add_links(path);
        }
        layout
    }

    fn add(&mut self, path: &Path, is_writable: bool) {
        let Ok(real) = path.canonicalize() else { return };
        // The namespace has its own.
        if real.starts_with("/proc") || real.starts_with("/dev") {
            return;
        }
        self.add_links(path);
        // As with Landlock, a file in a folder that may be written may be written.
        let is_written = real.ancestors().any(|folder| self.mounts.get(folder) == Some(&true));
        if !is_written {
            self.mounts.insert(real, is_writable);
        }
    }

    /// Adds the links that lead from a path to its real path.
    fn add_links(&mut self, path: &Path) {
        let mut rest: VecDeque<OsString> =
            path.components().map(|part| part.as_os_str().to_owned()).collect();
        let mut current = PathBuf::new();
        let mut followed = 0;
        while let Some(part) = rest.pop_front().filter(|_| followed < MAX_LINKS) {
            if part == ".." {
                current.pop();
                continue;
            }
            current.push(part);
            let Ok(target) = current.read_link() else { continue };
            followed += 1;
            for part in target.components().rev() {
                rest.push_front(part.as_os_str().to_owned());
            }
            self.links.insert(current.clone(), target);
            current.pop();
        }
    }

    /// The links that are not in a mounted folder, where they exist anyway.
    fn links(&self) -> impl Iterator<Item = (&PathBuf, &PathBuf)> {
        self.links.iter().filter(|(path, _)| !self.is_mounted(path))
    }

    /// The folders that exist only because something below them is mounted.
    fn folders_above(&self) -> BTreeSet<&Path> {
        let inside = self.mounts.keys().chain(self.links().map(|(path, _)| path));
        let above = inside.flat_map(|path| path.ancestors().skip(1));
        let is_own = |folder: &&Path| ["/", "/tmp"].iter().any(|own| *folder == Path::new(own));
        above.filter(|folder| !is_own(folder) && !self.is_mounted(folder)).collect()
    }

    fn is_mounted(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.mounts.contains_key(folder))
    }
}
