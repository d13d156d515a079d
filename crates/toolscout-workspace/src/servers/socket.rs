//! The path of a project's control socket: in the state folder, or in a folder with a short
//! path if that one is too long.

use crate::Environment;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The maximum length of a socket path on all systems: macOS allows 104 bytes, with the
/// terminating NUL.
const LONGEST: usize = 103;

/// The path of the socket, whether it exists or not; `None` if there is no state folder.
pub(super) fn place(environment: &Environment, partition: &str) -> Option<PathBuf> {
    let state = environment.state_dir()?;
    let name = format!("{partition}.sock");
    let usual = state.join("run").join(&name);
    if usual.as_os_str().len() <= LONGEST {
        return Some(usual);
    }
    // Each state folder has its own socket folder.
    let hash = blake3::hash(state.as_os_str().as_encoded_bytes()).to_hex();
    let near = environment.var("XDG_RUNTIME_DIR").or(environment.var("TMPDIR")).unwrap_or("/tmp");
    let folder = format!("toolscout-{}-{}", rustix::process::geteuid().as_raw(), &hash[..16]);
    let short = |near: &str| Path::new(near).join(&folder).join(&name);
    Some(short(near)).filter(|it| it.as_os_str().len() <= LONGEST).or_else(|| Some(short("/tmp")))
}

/// Creates the folder of a socket, accessible only to this user.
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

/// Whether the socket exists, in a folder of this user: other users can create folders in
/// `/tmp`, and listen there.
pub(super) fn is_there(socket: &Path) -> bool {
    socket.exists() && socket.parent().is_some_and(is_our_own)
}

fn is_our_own(folder: &Path) -> bool {
    let is_ours =
        |it: &fs::Metadata| it.is_dir() && it.uid() == rustix::process::geteuid().as_raw();
    fs::symlink_metadata(folder).is_ok_and(|it| is_ours(&it))
}
