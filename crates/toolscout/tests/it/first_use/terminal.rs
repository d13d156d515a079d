//! Progress lines and colors, in a pseudo-terminal.

use crate::servers::fixture::is_alive;
use crate::world::{Outcome, World, is_installed};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// The width of the terminal.
pub(super) const COLUMNS: usize = 100;

/// A server that takes longer to answer than the delay of progress lines.
fn slow() -> World {
    World::trusted().server("slow", "honest", &["--delay", "1"])
}

/// A command for the program in a pseudo-terminal of 100 columns.
fn terminal_command(world: &World, line: &str) -> Command {
    let mut terminal = world.program_command("script");
    let line = format!("stty cols {COLUMNS} rows 40; {line}");
    terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    terminal.env("TERM", "xterm").stdin(Stdio::null());
    terminal
}

pub(super) fn at_terminal(world: &World, line: &str) -> Outcome {
    Outcome::run(&mut terminal_command(world, line))
}

/// What a terminal shows after this output: later text overwrites earlier text, and control
/// sequences move the cursor and erase lines.
pub(super) fn screen(output: &str) -> String {
    let mut rows: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut rest = output.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => row += 1,
            '\r' => column = 0,
            '\u{1b}' => {
                rest.next();
                let mut number = String::new();
                let code = loop {
                    match rest.next() {
                        Some(c) if c.is_ascii_alphabetic() => break c,
                        Some(c) => number.push(c),
                        None => break 'm',
                    }
                };
                let count: usize = number.parse().unwrap_or(1);
                match code {
                    'A' => row -= count.min(row),
                    'B' => row += count,
                    'K' if number == "2" => rows[row].clear(),
                    'K' => rows[row].truncate(column),
                    _ => {}
                }
            }
            c => {
                if column == COLUMNS {
                    (row, column) = (row + 1, 0);
                    rows.resize(rows.len().max(row + 1), Vec::new());
                }
                let line = &mut rows[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
        }
        rows.resize(rows.len().max(row + 1), Vec::new());
    }
    let lines: Vec<String> = rows
        .into_iter()
        .map(|row| row.into_iter().collect::<String>().trim_end().to_owned())
        .collect();
    lines.join("\n").trim_end().to_owned()
}

/// U-01: a line for the server while its tools are loading; only the result is left.
#[test]
fn progress_of_servers_is_shown_at_a_terminal_and_erased() {
    if !is_installed("script") {
        return;
    }
    let world = slow();
    let shown = at_terminal(&world, "toolscout server refresh").exits(0);
    assert!(shown.out.contains("slow  loading tools  0 s"), "{shown:?}");
    let left = screen(&shown.out);
    assert!(left.starts_with("slow: 6 tools (") && left.lines().count() == 1, "{left}");
}

/// U-02: not with the option, for a dumb terminal, with `--quiet`, or without a terminal.
#[test]
fn progress_is_shown_only_at_a_terminal_that_wants_it() {
    if !is_installed("script") {
        return;
    }
    let world = slow();
    for line in [
        "toolscout server refresh --no-progress",
        "TERM=dumb toolscout server refresh",
        "toolscout server refresh --quiet",
        "toolscout server refresh 2> errors",
    ] {
        let shown = at_terminal(&world, line).exits(0);
        assert!(!shown.out.contains("loading tools"), "{line}: {shown:?}");
    }
    assert_eq!(std::fs::read_to_string(world.path("errors")).expect("the errors"), "");
    assert_eq!(world.run(&["server", "refresh"]).exits(0).err, "");
}

/// U-03: JSON on stdout does not mix with progress on stderr.
#[test]
fn progress_is_shown_beside_json_that_goes_elsewhere() {
    if !is_installed("script") {
        return;
    }
    let world = slow();
    let shown = at_terminal(&world, "toolscout server refresh --json > result.json").exits(0);
    assert!(shown.out.contains("slow  loading tools"), "{shown:?}");
    assert_eq!(screen(&shown.out), "");
    let result = std::fs::read_to_string(world.path("result.json")).expect("the result");
    let result: serde_json::Value = serde_json::from_str(&result).expect("JSON");
    assert_eq!(result["servers"][0]["toolCount"], 6);
}

/// U-17: the lines of an interrupted command are erased, and the servers are stopped.
#[test]
fn an_interrupted_command_leaves_a_clean_terminal() {
    if !is_installed("script") {
        return;
    }
    let world = World::trusted().breakable("late", "honest", &[]).delay_server("late");
    let mut terminal = terminal_command(&world, "exec toolscout server refresh");
    let mut running =
        terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script starts");
    let mut output = running.stdout.take().expect("its output");
    let (mut shown, mut byte) = (Vec::new(), [0]);
    while !String::from_utf8_lossy(&shown).contains("late  loading tools") {
        output.read_exact(&mut byte).expect("progress");
        shown.push(byte[0]);
    }
    let mut keyboard = running.stdin.take().expect("its input");
    keyboard.write_all(b"\x03").expect("type Ctrl-C");
    output.read_to_end(&mut shown).expect("the rest");
    assert_eq!(running.wait().expect("the process exits").code(), Some(130));
    let left = screen(&String::from_utf8_lossy(&shown));
    assert!(["", "^C"].contains(&left.trim()), "{left}\n{:?}", String::from_utf8_lossy(&shown));
    assert!(world.processes("late").iter().all(|process| !is_alive(*process)));
}

/// U-04: colors follow the option, then the variables, then the terminal.
#[test]
fn color_follows_option_variables_and_terminal() {
    let world = World::project().echo("tools/a.tool.toml", "alpha", "description = \"First\"");
    let plain = world.run(&["nonesuch"]).exits(5).err;
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let colored = world.run(&["--color", "always", "run", "nonesuch"]).exits(5).err;
    assert!(colored.contains("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m"), "{colored}");
    let forced = |world: &World| world.run(&["server", "show", "x"]).exits(5).err;
    let world = world.var("CLICOLOR_FORCE", "1");
    assert!(forced(&world).contains('\u{1b}'));
    let world = world.var("NO_COLOR", "1");
    assert!(!forced(&world).contains('\u{1b}'));
    let never = world.run(&["--color", "sometimes", "tools"]).exits(2);
    assert!(never.err.contains("auto, always, never"), "{never:?}");
}

/// A tool that waits for a file between two lines.
const WAITING: &str = "#!/bin/sh\n# tool: waiting\n# description: Wait for a file\n\
    echo first; printf 'a message' >&2; until [ -e go ]; do sleep 0.02; done; echo second\n";

/// U-18: a person sees what a tool does before it is done.
#[test]
fn the_output_of_a_running_tool_is_shown_at_a_terminal() {
    if !is_installed("script") {
        return;
    }
    let world = World::trusted().script("tools/waiting.sh", WAITING);
    let mut command = terminal_command(&world, "toolscout waiting");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("start script");
    let mut output = child.stdout.take().expect("the output");
    let mut shown = Vec::new();
    let mut chunk = [0; 1024];
    while !String::from_utf8_lossy(&shown).contains("a message") {
        let count = output.read(&mut chunk).expect("output of the tool");
        assert!(count > 0, "no output before the end: {}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&chunk[..count]);
    }
    std::fs::write(world.path("tools/go"), "").expect("let the tool end");
    output.read_to_end(&mut shown).expect("the rest of the output");
    assert!(child.wait().expect("the end").success());
    let shown = String::from_utf8_lossy(&shown);
    // The two come through different pipes, so their order is not fixed.
    let orders = ["first\na messagesecond", "a messagefirst\nsecond"];
    assert!(orders.contains(&screen(&shown).as_str()), "{shown}");
}

/// U-19: the error of a failed tool does not repeat its output; a result in JSON is formatted once.
#[test]
fn live_output_is_shown_once() {
    if !is_installed("script") {
        return;
    }
    let tool = |name: &str, body: &str| {
        format!("#!/bin/sh\n# tool: {name}\n# description: Print something\n{body}\n")
    };
    let world = World::trusted()
        .script("tools/fails.sh", &tool("fails", "echo out; echo err >&2; exit 3"))
        .script("tools/object.sh", &tool("object", "echo '{\"a\":'; echo '[1]}'"))
        .script("tools/broken.sh", &tool("broken", "echo '{\"a\":'; exit 4"));
    let shown = |line: &str, code| screen(&at_terminal(&world, line).exits(code).out);
    let once = shown("toolscout fails", 1);
    // The two streams have no order.
    let mut lines: Vec<&str> = once.lines().collect();
    let last = lines.pop().unwrap_or_default();
    lines.sort_unstable();
    assert_eq!(lines, ["err", "out"], "{once}");
    assert!(last.ends_with("fails.sh` exited with code 3"), "{once}");
    assert_eq!(shown("toolscout object", 0), "{\"a\":\n[1]}");
    let broken = shown("toolscout broken", 1);
    assert!(broken.starts_with("{\"a\":\n") && broken.lines().count() == 2, "{broken}");
    let quiet = shown("toolscout --quiet fails", 1);
    assert!(quiet.ends_with("exited with code 3\n\nerr\n\noutput:\nout"), "{quiet}");
}
