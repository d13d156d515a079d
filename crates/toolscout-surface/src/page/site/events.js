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

/// Reads events until the user is signed out. Emits `offline` if the server cannot be reached, and `online` and `missed`
/// once it can be reached again.
export async function connect(signal) {
    let attempts = 0;
    let isOffline = false;
    while (!signal.aborted) {
        try {
            // Without a project in its path, the stream has the events of all projects.
            const path = projectPath("/api/events", projectId ?? "current");
            const response = await fetch(path, { headers: requestHeaders(), signal, cache: "no-store" });
            // A process that was restarted does not know the session of this page.
            if (response.status === 401 && isOffline) dispatchEvent(new CustomEvent("signed-out"));
            if (response.status === 401 || response.status === 403 || response.status === 404) return;
            if (response.ok) {
                if (isOffline) emit("online", {});
                isOffline = false;
                if (attempts > 0) emit("missed", {});
                attempts = 0;
                await readEvents(response.body.getReader(), handleEvent);
            }
        } catch {
            if (signal.aborted) return;
            if (!isOffline) emit("offline", {});
            isOffline = true;
        }
        const delay = RECONNECT_DELAYS[Math.min(attempts, RECONNECT_DELAYS.length - 1)];
        await new Promise((resolve) => setTimeout(resolve, delay));
        attempts += 1;
    }
}

function handleEvent(kind, data) {
    if (kind === "changed" && !isOpen) isOpen = true;
    else emit(kind, data);
}

function emit(kind, data) {
    const handlers = subscribers.get(kind) ?? new Set();
    hasUnhandledEvents ||= !["missed", "offline", "online"].includes(kind) && !handlers.size;
    for (const handler of handlers) {
        try {
            handler(data);
        } catch (error) {
            // It must not look like a lost connection.
            reportError(error);
        }
    }
}
