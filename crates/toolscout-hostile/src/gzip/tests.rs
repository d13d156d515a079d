//! Proves that
//! 1. our hand-made archive decompresses with the standard gzip, including its checksum,
//! 2. it has the expected size.

use super::around_spaces;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn a_bomb_unpacks_to_what_it_says() {
    for spaces in [0, 1, 2, 258, 259, 260, 100_000] {
        let packed = around_spaces(b"{", spaces, b"}");
        let Some(unpacked) = gunzip(&packed) else { return };
        assert_eq!(unpacked, format!("{{{}}}", " ".repeat(spaces)), "{spaces} spaces");
    }
}

#[test]
fn a_thousandfold_and_more() {
    assert!(around_spaces(b"{", 1 << 30, b"}").len() < 1 << 20);
}

/// `None` if gzip is not installed, unless all tests must run.
fn gunzip(packed: &[u8]) -> Option<String> {
    let child =
        Command::new("gzip").arg("-dc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(err) if std::env::var_os("TOOLSCOUT_TESTS").is_some_and(|value| value == "all") => {
            panic!("gzip: {err}")
        }
        Err(_) => {
            writeln!(std::io::stderr(), "skipped: needs gzip").unwrap();
            return None;
        }
    };
    child.stdin.take().unwrap().write_all(packed).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "gzip reports an error");
    Some(String::from_utf8(output.stdout).unwrap())
}
