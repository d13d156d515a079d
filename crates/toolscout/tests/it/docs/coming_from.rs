//! The pages for users of other systems are followed word for word: their files are written to an
//! empty project, and their commands run in one shell there.

use super::{Step, repository, steps};
use crate::real_servers;
use crate::servers::fixture::wait_until;
use crate::world::{World, is_installed};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// The address that the pages use; the tests use a free port instead.
const ADDRESS: &str = "127.0.0.1:7420";
const END: &str = "end-of-output";

/// M-18m
#[test]
fn the_page_for_gunshi_mcp_is_true() {
    follow("gunshi-mcp", &["node"]);
}

/// M-18n
#[test]
fn the_page_for_paularlott_mcp_is_true() {
    follow("paularlott-mcp", &["go", "curl"]);
}

/// M-18o
#[test]
fn the_page_for_lace_is_true() {
    follow("lace", &["node", "npx", "curl"]);
}

/// M-18p
#[test]
fn the_page_for_orion_is_true() {
    follow("orion", &["node", "npx"]);
}

/// U-39
#[test]
fn the_page_for_your_own_scripts_is_true() {
    follow("scripts", &["bash", "make", "node", "npx", "python3"]);
}

/// Follows a page of `docs/coming-from`, if these programs are installed. `examples` is there as in
/// a checkout of the repository, and `npx` finds the published servers.
fn follow(page: &str, programs: &[&str]) {
    if !programs.iter().all(|program| is_installed(program)) {
        return;
    }
    let page = repository().join(format!("docs/coming-from/{page}.md"));
    let text = std::fs::read_to_string(&page).expect("a page");
    let mut world = World::bare().in_folder("shop");
    symlink(repository().join("examples"), world.path("examples")).expect("a link");
    if programs.contains(&"npx") {
        let Some(modules) = real_servers::installed("node_modules") else { return };
        symlink(modules, world.path("node_modules")).expect("a link");
    }
    let mut shell = Shell::start(&world);
    let mut count = 0;
    for block in parts(&text) {
        match block {
            Part::File(path, content) => world = world.file(&path, &content),
            Part::Steps(steps) => {
                count += steps.len();
                steps.iter().for_each(|step| shell.run(&page, step));
            }
        }
    }
    assert!(count > 3, "{}: only {count} commands", page.display());
}

/// A part of a page that a reader acts on.
enum Part {
    /// A block with a path after its language, which the text before it names.
    File(String, String),
    /// The commands of a transcript.
    Steps(Vec<Step>),
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut before = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            if !line.is_empty() {
                before = line.to_owned();
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let content = block.join("\n") + "\n";
        match info.split_once(' ') {
            Some((_, path)) => {
                assert!(before.contains(&format!("`{path}`")), "no text names {path}");
                parts.push(Part::File(path.to_owned(), content));
            }
            None if info == "console" => {
                let block = format!("```console\n{content}```\n");
                parts.push(Part::Steps(steps(&block, "```console")));
            }
            None => {}
        }
    }
    parts
}

/// A shell with the folders of a new user. Dropping it stops everything that it has started.
struct Shell {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
    address: String,
    started: usize,
}

impl Shell {
    fn start(world: &World) -> Self {
        let home = world.temp_dir().join("home");
        std::fs::create_dir_all(&home).expect("a home folder");
        let mut command = world.program_command("sh");
        command.env_remove("TOOLSCOUT_STATE_DIR").env_remove("TOOLSCOUT_CONFIG_DIR");
        command.env("GOCACHE", std::env::temp_dir().join("toolscout-go-cache"));
        command.env("GOFLAGS", "-buildvcs=false").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let errors = std::fs::File::create(world.path("../errors")).expect("a file");
        command.stderr(errors);
        let mut child = command.spawn().expect("a shell");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = free.local_addr().expect("an address").to_string();
        Self { child, input, output, folder: world.path("."), address, started: 0 }
    }

    /// Runs a command and compares its output. A command that ends with `&` goes on in the
    /// background, after all lines of its transcript are in its output.
    fn run(&mut self, page: &std::path::Path, step: &Step) {
        let ours = |text: &str| text.replace(ADDRESS, &self.address);
        let (command, shown) = (ours(&step.command), ours(step.shown.trim_end()));
        if let Some(command) = command.strip_suffix('&') {
            self.started += 1;
            let log = self.folder.join(format!("../output-{}", self.started));
            self.send(&format!("{command} >'{}' 2>&1 &", log.display()));
            wait_until(&format!("`{command}` prints {shown:?}"), || {
                let output = std::fs::read_to_string(&log).unwrap_or_default();
                shown.lines().all(|line| output.contains(line))
            });
            return;
        }
        let output = self.send(&command);
        let (lines, expected): (Vec<_>, Vec<_>) =
            (output.trim_end().lines().collect(), shown.lines().collect());
        let errors = std::fs::read_to_string(self.folder.join("../errors")).unwrap_or_default();
        let page = page.display();
        assert!(
            is_as_shown(&lines, &expected),
            "{page}: $ {command}\n{output}---\n{shown}\n---\n{errors}"
        );
    }

    /// The output of a command.
    fn send(&mut self, command: &str) -> String {
        writeln!(self.input, "{command}\necho {END}").expect("the shell reads its input");
        let mut output = String::new();
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).expect("a line");
            assert!(length > 0, "the shell has ended after {command}: {output}");
            if let Some(last) = line.strip_suffix(&format!("{END}\n")) {
                return output + last;
            }
            output += &line;
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
        let _ = self.child.wait();
    }
}

/// Whether the output is as shown. A line with only `…` stands for any lines.
fn is_as_shown(output: &[&str], shown: &[&str]) -> bool {
    match shown {
        [] => output.is_empty(),
        ["…", rest @ ..] => {
            (0..=output.len()).any(|skipped| is_as_shown(&output[skipped..], rest))
        }
        [line, rest @ ..] => output.split_first().is_some_and(|(first, others)| {
            is_line_as_shown(first, line) && is_as_shown(others, rest)
        }),
    }
}

/// As [`is_as_shown`], for one line: `…` stands for any text.
fn is_line_as_shown(line: &str, shown: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn an_ellipsis_stands_for_any_text() {
    let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
    let is_same = |output, shown| is_as_shown(&lines(output), &lines(shown));
    assert!(is_same("a\nb 1 c\nd", "a\nb … c\nd"));
    assert!(is_same("a\nb\nc\nd", "a\n…\nd"));
    assert!(!is_same("a\nb\nc", "a\n…\nd"));
    assert!(!is_same("a b", "a … c"));
    assert!(!is_same("a", "a\nb"));
    assert!(!is_same("a\nb", "a"));
}
