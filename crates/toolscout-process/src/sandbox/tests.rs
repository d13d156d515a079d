//! Confined children: what they can reach, and that ordinary programs still start.

use super::grants::{ProgramFiles, Protected};
use super::*;
use crate::{Limits, ProgramOutput, ProgramTask, program, start};
use std::ffi::OsString;
use std::net::TcpListener;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::Arc;
use toolscout_core::SourceId;
use toolscout_test_support::World;

/// A home with a key, a state folder in it, and a project.
struct Machine {
    world: World,
    host: SandboxHost,
    installs: bool,
}

impl Machine {
    fn new() -> Self {
        let world = World::new();
        for file in ["home/.ssh/id_rsa", "home/notes.txt", "home/other/secret", "project/mine"] {
            world.file(file, "content");
        }
        world.file("home/.state/trust.db", "content");
        let host = SandboxHost {
            home: Some(world.path().join("home")),
            state: Some(world.path().join("home/.state")),
            ..SandboxHost::default()
        };
        Self { world, host, installs: false }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.world.path().join(name)
    }

    async fn run(
        &self,
        level: SandboxLevel,
        settings: &SandboxSettings,
        script: &str,
    ) -> ProgramOutput {
        let sh = program::find("sh").expect("`sh` is installed");
        self.start(level, settings, &sh, &["-c", script]).await
    }

    async fn start(
        &self,
        level: SandboxLevel,
        settings: &SandboxSettings,
        program: &Path,
        args: &[&str],
    ) -> ProgramOutput {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let mut env = crate::environment::environment(&[]).expect("the nesting depth is allowed");
        let cwd = self.path("project");
        let request = SandboxRequest {
            level,
            settings,
            program,
            args: &args,
            cwd: &cwd,
            owner: Some("test"),
            installs: self.installs,
            grants_arguments: true,
            write: &[],
            own_variables: &[],
        };
        let plan = self.host.plan(request, &mut env).expect("a plan");
        let task = ProgramTask {
            id: SourceId::local(),
            program: program.to_owned(),
            display_name: "it".to_owned(),
            args,
            cwd,
            env,
            stdin: None,
            limits: Limits::default(),
            sandbox: plan.map(Arc::new),
        };
        start(&task).await.expect("it runs")
    }
}

fn stdout(output: &ProgramOutput) -> String {
    assert!(output.status.success(), "{output:?} {}", output.stderr_text());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// All levels that confine.
const LEVELS: [SandboxLevel; 3] =
    [SandboxLevel::Default, SandboxLevel::Strict, SandboxLevel::Discover];

/// V-01: the home, keys, state and other projects are out of reach; the own folder is not.
#[tokio::test]
async fn only_the_own_folder_is_readable() {
    let machine = Machine::new();
    let root = machine.world.path();
    let read =
        |file: &str| format!("cat {root}/{file} 2>/dev/null && echo; ", root = root.display());
    let script =
        ["home/.ssh/id_rsa", "home/notes.txt", "home/other/secret", "home/.state/trust.db"]
            .map(read)
            .concat()
            + &format!("ls {0}/home {0}/home/.ssh 2>/dev/null; cat mine", root.display());
    for level in LEVELS {
        let seen = stdout(&machine.run(level, &SandboxSettings::default(), &script).await);
        assert_eq!(seen, "content", "{level:?}");
    }
}

/// V-02: nothing outside the private folders is writable, and these are.
#[tokio::test]
async fn only_private_folders_are_writable() {
    let machine = Machine::new();
    let script = format!(
        "echo x > {0}/home/.bashrc; echo x > {0}/home/.state/trust.db; echo x > mine; echo x > new; \
         echo $HOME > $HOME/a && echo x > $TMPDIR/b && cat $HOME/a",
        machine.world.path().display()
    );
    for level in LEVELS {
        let home = stdout(&machine.run(level, &SandboxSettings::default(), &script).await);
        assert!(home.contains("/sandbox/"), "{home}");
        assert_eq!(Path::new(home.trim()).exists(), level != SandboxLevel::Discover, "{level:?}");
        assert!(!machine.path("home/.bashrc").exists() && !machine.path("project/new").exists());
        for file in ["home/.state/trust.db", "project/mine"] {
            assert_eq!(
                std::fs::read_to_string(machine.path(file)).expect("the file exists"),
                "content"
            );
        }
    }
    let left = std::fs::read_dir(machine.path("home/.state/sandbox/runs"))
        .expect("the folder exists")
        .count();
    assert_eq!(left, 0, "the folders of each run are removed");
}

/// V-03: a grant opens a folder, at the same place in the private home, and never our own folders.
#[tokio::test]
async fn grants_open_folders_but_never_the_state() {
    let machine = Machine::new();
    let settings = SandboxSettings {
        allow_read: vec![machine.path("home")],
        allow_write: vec![machine.path("home/other")],
        ..SandboxSettings::default()
    };
    let script = format!(
        "cat {0}/notes.txt ~/other/secret {0}/.state/trust.db 2>/dev/null; echo x > ~/other/new",
        machine.path("home").display()
    );
    let seen = stdout(&machine.run(SandboxLevel::Default, &settings, &script).await);
    assert_eq!(seen, "contentcontent");
    assert!(machine.path("home/other/new").exists());
}

/// V-04: without network no connection is possible; otherwise only to the permitted ports.
#[tokio::test]
async fn connections_reach_only_permitted_ports() {
    let Some(python) = program::find("python3") else { return };
    let machine = Machine::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let script = format!(
        "import socket\ntry:\n socket.create_connection(('127.0.0.1', {port}), 5); print('open')\n\
         except OSError as e: print(e.errno)\n\
         try:\n socket.socket(socket.AF_UNIX); print('unix')\nexcept OSError as e: print(e.errno)\n"
    );
    let with = |network| SandboxSettings { network, ..SandboxSettings::default() };
    let cases = [
        (SandboxLevel::Discover, None, "1\n1\n"),
        (SandboxLevel::Strict, None, "1\n1\n"),
        (SandboxLevel::Default, None, "13\n1\n"),
        (SandboxLevel::Strict, Some(NetworkAccess::Ports(vec![port])), "open\n1\n"),
        (SandboxLevel::Default, Some(NetworkAccess::All), "open\nunix\n"),
    ];
    for (level, network, expected) in cases {
        let output = machine.start(level, &with(network.clone()), &python, &["-c", &script]).await;
        assert_eq!(stdout(&output), expected, "{level:?} {network:?}");
    }
}

/// V-05: memory and processes are limited during a discovery.
#[tokio::test]
async fn a_discovery_has_little_memory_and_few_processes() {
    let Some(python) = program::find("python3") else { return };
    let machine = Machine::new();
    let script = "import mmap\n\
        for kind in ('private', 'shared'):\n\
        \x20try:\n\
        \x20 it = bytearray(512 << 20) if kind == 'private' else mmap.mmap(-1, 512 << 20)\n\
        \x20 print('allocated')\n\
        \x20except (MemoryError, OSError) as e: print('denied')\n";
    let settings = SandboxSettings::default();
    let output = machine.start(SandboxLevel::Discover, &settings, &python, &["-c", script]).await;
    assert_eq!(stdout(&output), "denied\ndenied\n");
    let output = machine.start(SandboxLevel::Default, &settings, &python, &["-c", script]).await;
    assert_eq!(stdout(&output), "allocated\nallocated\n");
    let many = "import os, time\ncount = 0\ntry:\n for _ in range(64):\n  if os.fork() == 0: time.sleep(100)\n  \
                count += 1\nexcept OSError: pass\nprint(count < 64)\n";
    let output = machine.start(SandboxLevel::Discover, &settings, &python, &["-c", many]).await;
    if support().processes || !rustix::process::getuid().is_root() {
        assert_eq!(stdout(&output), "True\n");
    }
}

/// V-36: what processes share beside files: System V and POSIX queues and memory, datagrams to Unix
/// sockets, and memory that no limit counts.
#[tokio::test]
async fn a_confined_process_shares_nothing_beside_files() {
    let Some(python) = program::find("python3") else { return };
    let machine = Machine::new();
    let socket = machine.path("project/socket");
    let receiver = UnixDatagram::bind(&socket).expect("a socket");
    receiver.set_nonblocking(true).expect("a socket that does not block");
    let script = format!(
        "import ctypes, os, socket\n\
        c = ctypes.CDLL(None, use_errno=True)\n\
        def says(name, is_open): print(name) if is_open else None\n\
        says('memory', c.shmget(0, 4096, 0o1600) >= 0)\n\
        says('semaphore', c.semget(0, 1, 0o1600) >= 0)\n\
        says('queue', c.msgget(0, 0o1600) >= 0)\n\
        def open_file():\n\
        \x20try: os.memfd_create('x'); print('file')\n\
        \x20except OSError: pass\n\
        open_file()\n\
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):\n\
        \x20try: a, b = socket.socketpair(socket.AF_UNIX, kind)\n\
        \x20except OSError: continue\n\
        \x20print('pair')\n\
        \x20try: a.sendto(b'x', {socket:?})\n\
        \x20except OSError: pass\n"
    );
    let settings = SandboxSettings::default();
    for (level, expected) in
        [(SandboxLevel::Discover, "pair\n"), (SandboxLevel::Default, "file\npair\n")]
    {
        let output = machine.start(level, &settings, &python, &["-c", &script]).await;
        assert_eq!(stdout(&output), expected, "{level:?}");
    }
    assert!(receiver.recv(&mut [0]).is_err(), "nothing was sent");
}

/// V-06: no privileges, no namespaces, no other processes, also for root.
#[tokio::test]
async fn a_confined_process_has_no_privileges() {
    let Some(python) = program::find("python3") else { return };
    let machine = Machine::new();
    let script = "import ctypes, os\n\
        lines = dict(l.split(':\\t') for l in open('/proc/self/status').read().splitlines() if ':\\t' in l)\n\
        print(lines['CapEff'], lines['CapBnd'], lines['NoNewPrivs'], lines['Seccomp'])\n\
        c = ctypes.CDLL(None, use_errno=True)\n\
        print(c.unshare(0x10000000), c.ptrace(16, os.getppid(), 0, 0), c.syscall(425, 1, 0))\n\
        for name in ('environ', 'mem', 'maps'):\n\
        \x20try: open(f'/proc/{os.getppid()}/{name}').read(); print('read', name)\n\
        \x20except OSError as e: print('denied')\n\
        try: os.kill(os.getppid(), 0); print('signal')\n\
        except OSError: print('denied')\n";
    for level in LEVELS {
        let settings =
            SandboxSettings { network: Some(NetworkAccess::All), ..SandboxSettings::default() };
        let output = machine.start(level, &settings, &python, &["-c", script]).await;
        let none = "0000000000000000";
        let expected = format!("{none} {none} 1 2\n-1 -1 -1\ndenied\ndenied\ndenied\ndenied\n");
        assert_eq!(stdout(&output), expected, "{level:?}");
    }
}

/// V-07: interpreters start at the strictest level.
#[tokio::test]
async fn interpreters_start_at_every_level() {
    let machine = Machine::new();
    let settings = SandboxSettings::default();
    for (name, option, code, expected) in [
        ("node", "-e", "console.log(require('os').cpus().length > 0)", "true\n"),
        (
            "python3",
            "-c",
            "import ssl, json, asyncio; asyncio.run(asyncio.sleep(0)); print(1)",
            "1\n",
        ),
        ("npm", "--version", "", ""),
        ("git", "--version", "", ""),
    ] {
        let Some(program) = program::find(name) else { continue };
        for level in LEVELS {
            let output = machine.start(level, &settings, &program, &[option, code]).await;
            assert!(stdout(&output).starts_with(expected), "{name} {level:?}: {output:?}");
        }
    }
}

#[test]
fn networks_are_written_as_they_are_read() {
    for word in ["none", "web", "all", "443,5432"] {
        assert_eq!(NetworkAccess::parse(word).expect("valid").words(), word);
    }
    for wrong in ["", "some", "0", "70000", "80;443"] {
        assert_eq!(NetworkAccess::parse(wrong), None, "{wrong}");
    }
}

/// V-14: error messages of several languages name what was denied.
#[test]
fn denials_are_read_from_error_messages() {
    let world = World::new();
    let file = world.file("docs/a b.txt", "");
    let (file, folder) = (file.display(), world.path().join("docs"));
    let new = folder.join("new/file");
    let cases = [
        (
            format!("Error: EACCES: permission denied, open '{file}'"),
            Denial::Read(folder.join("a b.txt")),
        ),
        (
            format!("PermissionError: [Errno 13] Permission denied: '{file}'"),
            Denial::Read(folder.join("a b.txt")),
        ),
        (
            format!("ls: cannot open directory '{0}': Permission denied", folder.display()),
            Denial::Read(folder.clone()),
        ),
        (
            format!("EACCES: permission denied, mkdir '{}'", new.display()),
            Denial::Write(folder.clone()),
        ),
        (
            format!("sh: 1: cannot create {}: Permission denied", new.display()),
            Denial::Write(folder.clone()),
        ),
        (
            "Error: connect EACCES 127.0.0.1:5432 - Local (0.0.0.0:0)".to_owned(),
            Denial::Connect(5432),
        ),
    ];
    for (text, denial) in cases {
        assert_eq!(Denial::find(&format!("starting\n{text}\nbye")), [denial], "{text}");
    }
    assert_eq!(Denial::find("all is well in /tmp"), []);
    let hint = Denial::Read("/srv/docs".into()).hint("fs");
    assert_eq!(
        hint,
        "the sandbox of `fs` does not let it read `/srv/docs`; to allow it, run \
         `toolscout server update fs --allow-read /srv/docs`"
    );
}

/// V-17: `..`, links and first lines of scripts that lead to a key grant nothing.
#[tokio::test]
async fn names_that_lead_to_a_hidden_folder_grant_nothing() {
    let mut machine = Machine::new();
    machine.host.home = Some(machine.path("."));
    let world = &machine.world;
    world.file(".ssh/id_rsa", "content");
    world.file("project/first.sh", "#!../.ssh/id_rsa\n");
    let key = machine.path(".ssh/id_rsa");
    world.file("project/absolute.sh", &format!("#!{}\n", key.display()));
    for (link, target) in [("link", &key), ("link.py", &key), ("folder", &machine.path(".ssh"))] {
        std::os::unix::fs::symlink(target, machine.path("project").join(link)).expect("a link");
    }
    let sh = program::find("sh").expect("`sh` is installed");
    let script = "cat ../.ssh/id_rsa; echo x > ../.ssh/new";
    for argument in [
        "../.ssh",
        "../.ssh/id_rsa",
        "--key=../.ssh/id_rsa",
        "link",
        "link.py",
        "folder",
        "first.sh",
        "absolute.sh",
    ] {
        for level in LEVELS {
            let settings = SandboxSettings::default();
            let output = machine.start(level, &settings, &sh, &["-c", script, argument]).await;
            assert!(!output.status.success(), "{argument} {level:?}");
            assert_eq!(output.stdout, b"", "{argument} {level:?}");
        }
    }
    assert!(!machine.path(".ssh/new").exists());
}

/// V-18: a program that may download anything sees nothing of the project that it could send.
#[tokio::test]
async fn the_discovery_of_an_installer_sees_no_project() {
    let mut machine = Machine::new();
    machine.installs = true;
    machine.world.file("project/server.py", "content");
    let sh = program::find("sh").expect("`sh` is installed");
    let project = machine.path("project").display().to_string();
    let script = "cd $0; cat mine server.py; ls";
    let settings = SandboxSettings::default();
    let args = ["-c", script, &project, "mine", "server.py"];
    let output = machine.start(SandboxLevel::Discover, &settings, &sh, &args).await;
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

/// V-18: the same for a script that names an installer in its first line.
#[test]
fn a_script_of_an_installer_is_granted_alone() {
    let machine = Machine::new();
    let script = machine.world.file("project/tool", "#!/usr/bin/env -S uv run --script\n");
    let (script, protected) = (script.canonicalize().expect("a file"), Protected::default());
    let files = ProgramFiles::of_installer(&script, "".as_ref(), &protected);
    assert_eq!(files.read, [script]);
    let python = machine.world.file("project/other", "#!/usr/bin/env -S python3 -X uv\n");
    assert!(!program::is_run_by_installer(&python));
}

/// V-37: the proxy of the user is reachable, and not one that the entry of a server names.
#[test]
fn only_the_inherited_proxy_opens_a_port() {
    let host = SandboxHost::default();
    let settings = SandboxSettings::default();
    let request = SandboxRequest {
        level: SandboxLevel::Default,
        settings: &settings,
        program: Path::new("/bin/sh"),
        args: &[],
        cwd: Path::new("/"),
        owner: None,
        installs: false,
        grants_arguments: false,
        write: &[],
        own_variables: &["HTTP_PROXY"],
    };
    let env = [
        ("https_proxy", "http://proxy:3128/"),
        ("HTTP_PROXY", "http://localhost:6379"),
        ("A_PROXY", "x:6380"),
        ("NO_PROXY", "y:6381"),
    ];
    let env: Vec<_> = env.map(|(name, value)| (name.into(), value.into())).into();
    assert_eq!(host.network(&request, &env), NetworkAccess::Ports(vec![53, 80, 443, 3128]));
}
