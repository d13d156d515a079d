//! The expected result of each mode: whether its tools are found, and how a call of `echo` ends.

use super::terms::MeetingTransport;

/// The result of `server refresh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListingExpectation {
    /// It finds this tool, and this many in all.
    Finds(&'static str, usize),
    /// It fails, and the reason in `server list` contains this text.
    Fails(&'static str),
}

/// The result of `run hostile/echo --text hi`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallExpectation {
    /// It prints `hi`.
    Answers,
    /// It succeeds, and its output contains this text.
    Says(&'static str),
    /// It fails, and the reason contains this text.
    Fails(&'static str),
}

pub(crate) struct MeetingExpectation {
    pub(super) listing: ListingExpectation,
    pub(super) calling: CallExpectation,
    /// The number of its quarantined tools.
    pub(super) held: usize,
    /// The maximum number of list requests in the whole meeting.
    pub(super) lists: usize,
    /// The tool to describe: the most harmful one.
    pub(super) shown: &'static str,
}

pub(super) fn expected(mode: &str, transport: MeetingTransport) -> MeetingExpectation {
    let listing = listing(mode, transport);
    let calling = match listing {
        // If the listing fails, the call fails as well.
        ListingExpectation::Fails(reason) => CallExpectation::Fails(reason),
        ListingExpectation::Finds("echo", _) => calling(mode, transport),
        ListingExpectation::Finds(..) => CallExpectation::Fails("Unknown tool: hostile/echo"),
    };
    MeetingExpectation {
        listing,
        calling,
        held: held(mode),
        lists: lists(mode),
        shown: shown(mode),
    }
}

fn listing(mode: &str, transport: MeetingTransport) -> ListingExpectation {
    let is_web = transport == MeetingTransport::Http;
    match mode {
        "mixed_bad" => ListingExpectation::Finds("good0", 5),
        "cursor_empty_ok" => ListingExpectation::Finds("page2", 2),
        // Over HTTP a response belongs to its request; on a pipe it could belong to any.
        "wrong_id" | "id_type" if is_web => {
            ListingExpectation::Fails("something other than the response")
        }
        "huge_line" | "many_tools" | "cursor_huge" if is_web => {
            ListingExpectation::Fails("answered with more than 8 MiB")
        }
        _ => match fault(mode) {
            Some(reason) => ListingExpectation::Fails(reason),
            None => ListingExpectation::Finds("echo", tools(mode, is_web)),
        },
    }
}

/// The reason why it cannot be listed; `None` if it can.
fn fault(mode: &str) -> Option<&'static str> {
    Some(match mode {
        // No response, or no complete one.
        "hang_start" | "hang_initialize" | "http_slow_headers" | "http_sse_endless" => {
            "the handshake timed out after"
        }
        "hang_list" | "drip_list" | "cpu_spin" | "noise_same_line" | "wrong_id" | "id_type" => {
            "discovery timed out after"
        }
        "exit_now" => "it exited with code 1: fatal: cannot load config",
        "exit_mid_list" => "it was terminated by signal 9",
        // Not a message, or not one for this client.
        "invalid_json" | "two_on_line" => "it sent invalid JSON",
        "invalid_utf8" => "it sent a message that is not UTF-8",
        "pretty_json" => "it split a message over several lines",
        "no_newline" | "huge_line" | "many_tools" | "cursor_huge" => {
            "it sent a message of more than 8 MiB"
        }
        "deep_json" | "deep_edge" => "it sent a message that is nested deeper than 64 levels",
        "batch" => "it sent a batch of messages",
        "bad_jsonrpc" => "it sent a message that is not JSON-RPC 2.0",
        "both_result_error" => "it sent a response with both a result and an error",
        "bad_error" => "it sent a malformed error",
        "wrong_types" => "its list of tools is not a list",
        "case_keys" => "it sent a response with neither a result nor an error",
        "input_on_list" => "its list of tools is not a complete result",
        // No end, or no complete list.
        "cursor_endless" => "its list of tools has more than 100 pages",
        "cursor_type" => "a cursor that is not a string",
        "page_error" => "the database is locked (-32603)",
        // No common protocol version.
        "future_version" => {
            "no common protocol version: it supports `2099-01-01`, toolscout supports 2026-07-28"
        }
        "bad_version" => "has no protocol version",
        "unsupported_loop" => {
            "it rejects protocol version 2026-07-28, although it lists it as supported"
        }
        "http_redirect" => "is not followed",
        "http_401_meta" => "a login is required",
        "http_endless_body" => "answered with more than 8 MiB",
        "http_ctype" => "answered with `text/html`",
        "http_gzip_bomb" => "answered with encoding `gzip`, which was not requested",
        "http_reset" => "was lost",
        "http_big_headers" => "message head is too large",
        // Timing decides whether the first body is read as an empty response, or whether the data
        // behind it arrives in time for the next request, whose id it cannot know.
        "http_length_lie" => "answer",
        "http_flap" => "it is busy",
        _ => return None,
    })
}

/// The number of tools: six honest ones, and those of the mode.
fn tools(mode: &str, is_web: bool) -> usize {
    6 + match mode {
        "changed_mid_list" | "poison_desc" | "shadow_ref" | "ref_bomb" | "output_lie"
        | "wide_schema" => 1,
        "ansi" => 2,
        "hidden_unicode" | "html" | "ref_cycle" => 4,
        "odd_dialect" => 5,
        "ref_remote" => 6,
        "header_inject" if is_web => 1,
        "header_inject" => 7,
        "fold_names" => 8,
        "poison_schema" => 10,
        "reserved" => 11,
        "path_names" => 21,
        "search_spam" => 200,
        _ => 0,
    }
}

fn held(mode: &str) -> usize {
    match mode {
        "poison_desc" | "shadow_ref" => 1,
        "ansi" | "reserved" => 2,
        "html" => 3,
        "hidden_unicode" | "fold_names" => 4,
        "poison_schema" => 10,
        "path_names" => 16,
        _ => 0,
    }
}

fn calling(mode: &str, transport: MeetingTransport) -> CallExpectation {
    // Over HTTP the listed process is the called one; on stdio each command starts its own.
    let is_web = transport == MeetingTransport::Http;
    match mode {
        "hang_call" | "late_reply" => CallExpectation::Fails("`echo` timed out after"),
        "exit_mid_call" => CallExpectation::Fails("it was terminated by signal 9"),
        "exit_after_list" => CallExpectation::Fails("it exited with code 0"),
        "close_stdout" => CallExpectation::Fails("it closed its output"),
        // At once, or at the deadline: a write just before the other end is closed reports no
        // error.
        "close_stdin" => CallExpectation::Fails(""),
        "stop_reading" => CallExpectation::Fails("`echo` timed out after"),
        "huge_result" if is_web => CallExpectation::Fails("answered with more than 8 MiB"),
        "many_items" if is_web => CallExpectation::Fails("answered with more than 8 MiB"),
        "huge_result" | "many_items" => {
            CallExpectation::Fails("it sent a message of more than 8 MiB")
        }
        "bad_result_type" => {
            CallExpectation::Fails("neither complete nor a request for more input")
        }
        // A request for input instead of a result, and no user to answer it.
        "elicit_phish" => CallExpectation::Fails("needs input that this client cannot provide"),
        // Changed by the second list, or by the second start.
        "rug_list" | "rug_flipflop" if is_web => {
            CallExpectation::Fails("has changed since it was approved")
        }
        "rug_restart" if !is_web => CallExpectation::Fails("has changed since it was approved"),
        // Gone with the second list, which is that of the call.
        "vanish" if is_web => CallExpectation::Fails("has no tool `echo`"),
        "poison_result" => CallExpectation::Fails(""),
        "odd_content" => CallExpectation::Says("hologram"),
        "link_ssrf" => CallExpectation::Says("resource_link"),
        "env_dump" => CallExpectation::Says("PATH="),
        "parent_probe" => CallExpectation::Says(""),
        "rug_call" | "output_lie" | "ansi" => CallExpectation::Says(""),
        _ => CallExpectation::Answers,
    }
}

fn lists(mode: &str) -> usize {
    match mode {
        // Up to the page limit, twice.
        "cursor_endless" => 200,
        // Twice for the discovery, and then up to the burst limit of a server.
        "storm" | "storm_after_list" => 5,
        _ => 4,
    }
}

fn shown(mode: &str) -> &'static str {
    match mode {
        "validate_bomb" => "exp_anyof",
        "ref_cycle" => "cyc_allof",
        "ref_bomb" => "bomb",
        "ref_remote" => "ref_http",
        "wide_schema" => "req",
        "odd_dialect" => "numkeys",
        "output_lie" => "typed",
        "poison_desc" => "add_numbers",
        _ => "echo",
    }
}
