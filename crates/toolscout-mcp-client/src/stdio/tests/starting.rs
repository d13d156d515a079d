//! The environment of a starting server, and the error if it cannot start.

use super::{McpClient, Program, ServerTransport, Shell, within};
use std::path::Path;

#[tokio::test]
async fn a_server_sees_few_variables_and_its_own() {
    let shell = Shell::new();
    let mut server = shell.server("env > seen; pwd > where; serve");
    let ServerTransport::Stdio(program) = &mut server.transport else {
        panic!("expected a program")
    };
    program.env.insert("MINE".to_owned(), "${WHERE:-there}".into());
    program.env.insert("TOOLSCOUT_RUN".to_owned(), "forged".into());
    let client =
        McpClient::connect(&server, &shell.context, within(10_000)).await.expect("connected");
    let env_text = std::fs::read_to_string(shell.path("seen")).expect("written");
    let names: Vec<&str> =
        env_text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    assert!(
        names.contains(&"PATH")
            && names.contains(&"TOOLSCOUT_DEPTH")
            && names.contains(&"TOOLSCOUT_OWNER")
    );
    assert!(env_text.lines().any(|line| line == "MINE=there"), "{env_text}");
    assert!(
        !env_text.contains("forged") && !names.iter().any(|name| name.starts_with("CARGO")),
        "{names:?}"
    );
    let cwd = std::fs::read_to_string(shell.path("where")).expect("written");
    assert_eq!(Path::new(cwd.trim()), shell.context.project);
    client.close().await;
}

/// T34: nothing is inherited but the three pipes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_has_no_files_but_its_own_three() {
    let shell = Shell::new();
    let client = shell.connect("ls /proc/$$/fd > files; serve").await.expect("connected");
    let files = std::fs::read_to_string(shell.path("files")).expect("written");
    let inherited: Vec<&str> =
        files.lines().filter(|line| !["0", "1", "2"].contains(line)).collect();
    // The shell itself may keep a copy of a redirected descriptor.
    assert!(inherited.iter().all(|inherited| *inherited == "10"), "{files}");
    client.close().await;
}

async fn refusal(change: impl FnOnce(&mut Program)) -> String {
    let shell = Shell::new();
    let mut server = shell.server("serve");
    let ServerTransport::Stdio(program) = &mut server.transport else {
        panic!("expected a program")
    };
    change(program);
    let error = McpClient::connect(&server, &shell.context, within(10_000)).await.err();
    error.expect("it cannot start").to_string()
}

/// D-04: the program, the reason, and the remedy.
#[tokio::test]
async fn a_failed_start_has_a_reason() {
    let missing = refusal(|value| value.command = "no-such-program".into()).await;
    assert_eq!(
        missing,
        "could not run `no-such-program`: not found in PATH; install it, or configure its full path"
    );
    let runner = refusal(|value| {
        value.command = "uvx".into();
        value.env.insert("PATH".to_owned(), "/nowhere".into());
    });
    assert!(runner.await.contains("it comes with uv"));
    let path = refusal(|value| value.command = "./not-here".into()).await;
    assert!(path.contains("program not found"), "{path}");
    let folder = refusal(|value| value.cwd = Some("/no/such/folder".into())).await;
    assert!(folder.contains("`/no/such/folder` does not exist"), "{folder}");
    assert!(refusal(|value| value.command = "".into()).await.contains("command is empty"));
    assert!(
        refusal(|value| _ = value.env.insert("A=B".to_owned(), "x".into())).await.contains("`A=B`")
    );
    let unset = refusal(|value| value.args = vec!["env:TOOLSCOUT_SURELY_UNSET".into()]).await;
    assert!(unset.contains("TOOLSCOUT_SURELY_UNSET"), "{unset}");
}
