//! What each mode may get away with: whether its tools are found, and how a call of `echo` ends.

use super::meeting::Transport;

/// Whether `server refresh` finds tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// This one among them.
    Finds(&'static str),
    /// It fails, and `server list` says why.
    Fails,
    /// Either is right, as long as it is always the same.
    Either,
}

/// How `run hostile/echo --text hi` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Calling {
    /// It prints `hi`.
    Answers,
    Fails,
    Either,
}

pub(super) struct Expected {
    pub(super) listing: Listing,
    pub(super) calling: Calling,
    /// How often it may be asked for a page of its tools over the whole meeting.
    pub(super) lists: usize,
}

pub(super) fn expected(mode: &str, transport: Transport) -> Expected {
    let listing = listing(mode);
    let calling = match listing {
        // Who lists nothing of use is not called with success either.
        Listing::Fails => Calling::Fails,
        Listing::Finds("echo") => calling(mode, transport),
        Listing::Finds(_) | Listing::Either => Calling::Either,
    };
    let lists = if mode.starts_with("cursor_endless") { 250 } else { 12 };
    Expected { listing, calling, lists }
}

fn listing(mode: &str) -> Listing {
    match mode {
        // Never an answer, or never a whole one.
        "hang_start" | "hang_initialize" | "hang_list" | "slow_start" | "drip_list" | "exit_now" | "exit_mid_list"
        | "cpu_spin" => Listing::Fails,
        // No message, or none that is meant for us.
        "noise_same_line" | "invalid_json" | "pretty_json" | "no_newline" | "huge_line" | "deep_json"
        | "two_on_line" | "wrong_id" | "both_result_error" | "bad_error" | "wrong_types" | "case_keys"
        | "input_on_list" => Listing::Fails,
        // No end, or no whole list.
        "cursor_endless" | "cursor_huge" | "cursor_type" | "page_error" => Listing::Fails,
        // No common language.
        "future_version" | "bad_version" | "unsupported_loop" => Listing::Fails,
        "http_redirect" | "http_401_meta" | "http_slow_headers" | "http_endless_body" | "http_sse_endless"
        | "http_ctype" | "http_gzip_bomb" | "http_reset" | "http_big_headers" => Listing::Fails,
        "mixed_bad" => Listing::Finds("good0"),
        "cursor_empty_ok" => Listing::Finds("page2"),
        // Refused or taken, both are sound; what matters is that nobody else notices.
        "invalid_utf8" | "many_tools" | "deep_edge" | "batch" | "bad_jsonrpc" | "id_type" | "capability_lie"
        | "http_length_lie" | "http_flap" | "cache_tamper" => Listing::Either,
        _ => Listing::Finds("echo"),
    }
}

fn calling(mode: &str, transport: Transport) -> Calling {
    // Over HTTP the process that was listed is the one that is called; on stdio each command starts its own.
    let is_same_process = transport == Transport::Http;
    match mode {
        "hang_call" | "late_reply" | "exit_mid_call" | "huge_result" | "bad_result_type" => Calling::Fails,
        // A question instead of an answer, and nobody here to be asked.
        "elicit_phish" => Calling::Fails,
        // Changed by the second list, or by the second start.
        "rug_list" | "rug_flipflop" if is_same_process => Calling::Fails,
        "rug_restart" if !is_same_process => Calling::Fails,
        // They say something else than `hi`, or are gone by then; whether that is an error is theirs to know.
        "poison_result" | "ansi" | "rug_call" | "output_lie" | "many_items" | "odd_content" | "link_ssrf"
        | "env_dump" | "parent_probe" | "exit_after_list" | "close_stdout" | "close_stdin" | "stop_reading"
        | "vanish" | "http_session_fix" => Calling::Either,
        _ => Calling::Answers,
    }
}
