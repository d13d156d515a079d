//! How a server is confined depends on where its program is, and not on its name alone.

use super::{ConnectContext, McpClient, Program, ServerTransport, Shell, within};
use crate::ConnectPurpose;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use toolscout_process::sandbox::{SandboxHost, SandboxLevel, SandboxSettings};

/// Starts this program for a server that is not trusted, to list its tools; returns what it
/// reports: its folder, and the state of its system call filter.
async fn report(shell: &Shell, program: &Path, host: SandboxHost) -> String {
    let script = "#!/bin/sh\nif test \"$PWD\" = \"$PROJECT\"; then echo project >&2; fi\n\
                  grep Seccomp: /proc/self/status >&2\nexit 1\n";
    std::fs::write(program, script).expect("written");
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(program, permissions).expect("changed");
    let mut server = shell.server("");
    let project = shell.context.project.clone();
    let project = project.to_str().expect("UTF-8");
    server.trusted = false;
    server.transport = ServerTransport::Stdio(Program {
        command: program.to_str().expect("UTF-8").into(),
        env: [("PROJECT".to_owned(), project.into())].into(),
        ..Program::default()
    });
    let host = SandboxHost { state: Some(shell.path("state")), ..host };
    let context = ConnectContext {
        purpose: ConnectPurpose::Discovery,
        sandbox: Some(Arc::new(host)),
        ..shell.context.clone()
    };
    let error = McpClient::connect(&server, &context, within(10_000)).await.err();
    error.expect("it exits").to_string()
}

#[tokio::test]
async fn a_file_of_the_project_is_confined_whatever_its_name() {
    for name in ["docker.sh", "docker", "npx.sh", "npx"] {
        let shell = Shell::new();
        let seen = report(&shell, &shell.path(name), SandboxHost::default()).await;
        assert!(seen.contains("project"), "{name}: {seen}");
        assert!(seen.contains("Seccomp:\t2"), "{name}: {seen}");
    }
}

#[tokio::test]
async fn containers_are_confined_if_the_operator_says_so() {
    let (shell, installed) = (Shell::new(), tempfile::tempdir().expect("a folder"));
    let podman = installed.path().join("podman");
    let seen = report(&shell, &podman, SandboxHost::default()).await;
    assert!(seen.contains("Seccomp:\t0"), "{seen}");
    let required = SandboxHost { is_required: true, ..SandboxHost::default() };
    let settings =
        SandboxSettings { level: Some(SandboxLevel::Default), ..SandboxSettings::default() };
    let chosen = SandboxHost { settings, ..SandboxHost::default() };
    for host in [required, chosen] {
        let seen = report(&shell, &podman, host).await;
        assert!(seen.contains("Seccomp:\t2"), "{seen}");
    }
}
