// Follows what happens, as long as the page is open.

import { headers } from "./api.js";

const listeners = new Map();
/// After a connection is lost: at once, then ever more slowly.
const PAUSES = [500, 1000, 3000, 10000];

/// Calls for each event of this kind, until the signal says so.
export function on(kind, act, signal) {
    const those = listeners.get(kind) ?? listeners.set(kind, new Set()).get(kind);
    those.add(act);
    signal?.addEventListener("abort", () => those.delete(act));
}

/// Whether something was told that nobody listened to yet.
let unheard = false;
/// Whether we were told what there was when we came: that is no news.
let hasBegun = false;

/// From here on all who listen do: what came before is told as `missed`.
export function listening() {
    if (unheard) tell("missed", {});
    unheard = false;
}

/// Reads events until signed out. Whoever missed some while there was no connection is told `missed`.
export async function follow(signal) {
    let lost = 0;
    while (!signal.aborted) {
        try {
            const answer = await fetch("/api/events", { headers: headers(), signal, cache: "no-store" });
            if (answer.status === 401 || answer.status === 403 || answer.status === 404) return;
            if (answer.ok) {
                if (lost > 0) tell("missed", {});
                lost = 0;
                await stream(answer.body.getReader());
            }
        } catch {
            if (signal.aborted) return;
        }
        await new Promise((done) => setTimeout(done, PAUSES[Math.min(lost, PAUSES.length - 1)]));
        lost += 1;
    }
}

async function stream(reader) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        rest += decoder.decode(value, { stream: true }).replace(/\r/g, "");
        const parts = rest.split("\n\n");
        rest = parts.pop();
        parts.forEach(event);
    }
}

function event(text) {
    const fields = text
        .split("\n")
        .map((it) => it.match(/^(event|data): ?(.*)$/))
        .filter(Boolean);
    const of = (name) => fields.filter((it) => it[1] === name).map((it) => it[2]);
    try {
        const kind = of("event")[0] ?? "message";
        if (kind === "changed" && !hasBegun) {
            hasBegun = true;
            return;
        }
        // We were told less than happened.
        tell(kind === "lost" ? "missed" : kind, JSON.parse(of("data").join("\n") || "{}"));
    } catch (error) {
        console.warn("an event could not be read", error);
    }
}

function tell(kind, what) {
    const those = listeners.get(kind) ?? new Set();
    unheard ||= kind !== "missed" && !those.size;
    for (const act of those) act(what);
}
