//! Where the socket of a project's servers is: in the state folder, or in a short folder of its own where that is too deep.

use crate::Environment;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The longest path that a socket can have on every system: macOS has 104 bytes for it, one of them for its end.
const LONGEST: usize = 103;

/// Where it is, there or not; none where nothing can be kept.
pub(super) fn place(environment: &Environment, partition: &str) -> Option<PathBuf> {
    let state = environment.state_dir()?;
    let name = format!("{partition}.sock");
    let usual = state.join("run").join(&name);
    if usual.as_os_str().len() <= LONGEST {
        return Some(usual);
    }
    // Two states have two folders, so that their hosts do not meet.
    let hash = blake3::hash(state.as_os_str().as_encoded_bytes()).to_hex();
    let near = environment.var("XDG_RUNTIME_DIR").or(environment.var("TMPDIR")).unwrap_or("/tmp");
    let folder = format!("toolscout-{}-{}", rustix::process::geteuid().as_raw(), &hash[..16]);
    let short = |near: &str| Path::new(near).join(&folder).join(&name);
    Some(short(near)).filter(|it| it.as_os_str().len() <= LONGEST).or_else(|| Some(short("/tmp")))
}

/// Makes the folder of a socket, for us alone.
pub(crate) fn make_folder(socket: &Path) -> io::Result<()> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    match DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if !is_our_own(folder) {
        let what = format!("`{}` is there already, and is not ours alone", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Whether there is a socket that we may speak to: anybody can make a folder of any name in `/tmp`, and wait there.
pub(super) fn is_there(socket: &Path) -> bool {
    socket.exists() && socket.parent().is_some_and(is_our_own)
}

fn is_our_own(folder: &Path) -> bool {
    let is_ours = |it: &fs::Metadata| it.is_dir() && it.uid() == rustix::process::geteuid().as_raw();
    fs::symlink_metadata(folder).is_ok_and(|it| is_ours(&it))
}
