//! The path of a project's control socket: in the state folder, or in a folder with a short
//! path if that one is too long.

use crate::Environment;
use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The maximum length of a socket path on all systems: macOS allows 104 bytes, with the
/// terminating NUL.
const MAX_PATH_LENGTH: usize = 103;

/// The path of the socket, whether it exists or not; `None` if there is no state folder.
pub(super) fn socket_path(environment: &Environment, partition: &str) -> Option<PathBuf> {
    let state = environment.state_dir()?;
    let name = format!("{partition}.sock");
    let default = state.join("run").join(&name);
    if default.as_os_str().len() <= MAX_PATH_LENGTH {
        return Some(default);
    }
    // Each state folder has its own socket folder.
    let hash = blake3::hash(state.as_os_str().as_encoded_bytes()).to_hex();
    let base = environment.var("XDG_RUNTIME_DIR").or(environment.var("TMPDIR")).unwrap_or("/tmp");
    let folder = format!("toolscout-{}-{}", rustix::process::geteuid().as_raw(), &hash[..16]);
    let short = |base: &str| Path::new(base).join(&folder).join(&name);
    Some(short(base))
        .filter(|path| path.as_os_str().len() <= MAX_PATH_LENGTH)
        .or_else(|| Some(short("/tmp")))
}

/// Creates the folder of a socket, accessible only to this user.
pub(crate) fn make_folder(socket: &Path) -> io::Result<()> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    match DirBuilder::new().recursive(true).mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if !is_own_folder(folder) {
        let what =
            format!("`{}` already exists, and other users may have access to it", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Whether the socket exists, in a folder of this user: other users can create folders in
/// `/tmp`, and listen there.
pub(super) fn is_usable(socket: &Path) -> bool {
    socket.exists() && socket.parent().is_some_and(is_own_folder)
}

fn is_own_folder(folder: &Path) -> bool {
    let is_owned = |metadata: &fs::Metadata| {
        metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw()
    };
    fs::symlink_metadata(folder).is_ok_and(|metadata| is_owned(&metadata))
}
