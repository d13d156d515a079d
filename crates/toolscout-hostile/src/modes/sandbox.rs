//! A server that tries what a sandbox has to deny, and reports what succeeded.

use super::probes::connect;
use super::{MIB, Mode, stdio};
use crate::honest::HONEST;
use crate::process::sleeping_child;
use crate::server::HostileServer;
use crate::server::acts::Acts;
use serde_json::json;
use std::fs::{self, File};
use std::net::UdpSocket;
use std::os::unix::process::parent_id;
use std::path::Path;

pub(super) const MODES: &[Mode] = &[stdio(
    "sandbox_probe",
    "Reads and writes below the folder --target, connects to --canary, starts --count (64) \
     children, allocates --size bytes (512 MiB), and traces its parent.",
    "Let nothing succeed during a discovery, and during calls only what was granted.",
    Acts {
        start: |server| {
            server.log.event("probe", json!({ "sandbox": succeeded(server) }));
            Ok(())
        },
        call: |request| request.reply(request.text(json!(succeeded(&request.server)).to_string())),
        ..HONEST
    },
)];

/// The names of the probes that succeeded.
fn succeeded(server: &HostileServer) -> Vec<&'static str> {
    let options = &server.options;
    let mut succeeded = Vec::new();
    let mut note = |name, has_succeeded: bool| {
        if has_succeeded {
            succeeded.push(name);
        }
    };
    if let Some(target) = &options.target {
        let can_read = |file: &str| fs::read(target.join(file)).is_ok();
        note("read_home", can_read("home/notes.txt"));
        note("read_key", can_read("home/.ssh/id_rsa"));
        note("read_state", has_readable_file(&target.join("state")));
        note("read_other_project", can_read("home/other/secret.txt"));
        note("write_home", fs::write(target.join("home/.bashrc"), "echo hostile").is_ok());
    }
    if let Some(canary) = &options.canary {
        note("connect_loopback", connect(canary).is_ok());
        note("connect_outside", own_address(canary).is_some_and(|url| connect(&url).is_ok()));
    }
    note("fork", starts_children(server, options.count.unwrap_or(64)));
    note("allocate", allocates(options.size.unwrap_or(512 * MIB)));
    let parent = Path::new("/proc").join(parent_id().to_string());
    // Opening the memory of a process needs the right to trace it.
    note("trace_parent", File::open(parent.join("mem")).is_ok());
    note("parent_environment", fs::read(parent.join("environ")).is_ok());
    succeeded
}

fn has_readable_file(folder: &Path) -> bool {
    let names = ["state.db", "trust.db", "key"];
    fs::read_dir(folder).is_ok() || names.iter().any(|name| File::open(folder.join(name)).is_ok())
}

/// The address with that of a network interface instead of loopback. Connecting a UDP socket sends
/// nothing.
fn own_address(url: &str) -> Option<String> {
    let socket = UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    socket.connect(("192.0.2.1", 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    Some(url.replace("127.0.0.1", &address.to_string()))
}

fn starts_children(server: &HostileServer, count: usize) -> bool {
    let mut children = Vec::new();
    let all = (0..count).all(|_| match sleeping_child(&server.options) {
        Ok(child) => {
            children.push(child);
            true
        }
        Err(_) => false,
    });
    for mut child in children {
        let _ = child.kill();
        let _ = child.wait();
    }
    all
}

fn allocates(size: usize) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    let has_room = memory.try_reserve_exact(size).is_ok();
    if has_room {
        // Written to, because untouched memory is not allocated.
        memory.resize(size, 1);
    }
    std::hint::black_box(&memory);
    has_room
}
