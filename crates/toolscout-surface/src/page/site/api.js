// Asks `/api`, and says what went wrong in words.

const KEY = "toolscout-key";

/// What could not be done, why, and what to do about it.
export class Problem extends Error {
    constructor(status, said) {
        super(said.error ?? `the program answered ${status}`);
        this.status = status;
        this.code = said.code;
        this.hint = said.hint;
        this.approval = said.approval;
    }
}

/// The page's half of being signed in; the cookie is the other. Browsers keep this one apart by port.
export const key = {
    read: () => localStorage.getItem(KEY),
    keep: (value) => localStorage.setItem(KEY, value),
    forget: () => localStorage.removeItem(KEY),
};

export function headers() {
    const held = key.read();
    return { "content-type": "application/json", ...(held ? { "x-toolscout-key": held } : {}) };
}

/// Asks; `body` is a value, or JSON as text where its exact writing counts.
export async function ask(method, path, { body, signal } = {}) {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    let answer;
    try {
        answer = await fetch(path, { method, headers: headers(), body: text, signal, cache: "no-store" });
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new Problem(0, {
            error: "toolscout does not answer",
            code: "GONE",
            hint: "is it still running? `toolscout ui`",
        });
    }
    const said = await read(answer);
    if (answer.ok) return said;
    if (answer.status === 401) dispatchEvent(new CustomEvent("signed-out"));
    throw new Problem(answer.status, words(said));
}

const early = new Map();

/// Asks for what will be wanted in a moment, so that it is there by then.
export function ahead(path) {
    const answer = ask("GET", path);
    answer.catch(() => undefined);
    early.set(path, answer);
}

export function get(path, signal) {
    const there = early.get(path);
    early.delete(path);
    return there ?? ask("GET", path, { signal });
}

export const post = (path, body = {}, signal) => ask("POST", path, { body, signal });
export const set = (path, body) => ask("PUT", path, { body });
export const remove = (path) => ask("DELETE", path, { body: {} });

/// A path with its parts written so that nothing in them is taken for more than a part.
export function path(strings, ...parts) {
    return strings.reduce((made, it, at) => made + encodeURIComponent(parts[at - 1]) + it);
}

/// What comes after `?`; what is not given is left out.
export function query(fields) {
    const given = Object.entries(fields).filter(([, it]) => it !== undefined && it !== null && it !== "");
    return given.length ? `?${new URLSearchParams(given)}` : "";
}

async function read(answer) {
    const text = await answer.text();
    try {
        return text ? JSON.parse(text) : undefined;
    } catch {
        return { error: text.slice(0, 500) };
    }
}

/// Errors of the API are `{error, code, hint}`; those from before it are JSON-RPC's.
function words(said) {
    if (typeof said?.error === "string") return said;
    return { error: said?.error?.message, code: said?.code };
}
