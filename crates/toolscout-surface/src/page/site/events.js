// The event stream of the server, and its subscribers.

import { projectId, projectPath, readEvents, requestHeaders } from "./api.js";

const subscribers = new Map();
/// Delays before reconnecting, in milliseconds.
const RECONNECT_DELAYS = [500, 1000, 3000, 10000];

/// Calls `handler` for each event of this kind, until the signal is aborted.
export function subscribe(kind, handler, signal) {
    const handlers = subscribers.get(kind) ?? subscribers.set(kind, new Set()).get(kind);
    handlers.add(handler);
    signal?.addEventListener("abort", () => handlers.delete(handler));
}

/// Whether an event arrived before it had a subscriber.
let hasUnhandledEvents = false;
/// Whether the first `changed` event arrived. It only confirms that the stream is open.
let isOpen = false;

/// Call this once all views have subscribed. Emits `missed` if an event had no subscriber before.
export function subscribersReady() {
    if (hasUnhandledEvents) emit("missed", {});
    hasUnhandledEvents = false;
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
        const delay = RECONNECT_DELAYS[Math.min(attempts, RECONNECT_DELAYS.length - 1)];
        await new Promise((resolve) => setTimeout(resolve, delay));
        attempts += 1;
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
