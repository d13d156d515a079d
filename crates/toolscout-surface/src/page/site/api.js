// Requests to `/api`, and their errors.

const STORAGE_KEY = "toolscout-key";

/// A failed request, with the hint and the pending approval of the response.
export class ApiError extends Error {
    constructor(status, { error, code, hint, approval }) {
        super(error ?? `Request failed with HTTP status ${status}`);
        this.status = status;
        this.code = code;
        this.hint = hint;
        this.approval = approval;
    }
}

/// The key that goes with the session cookie. Local storage is separate for each port, cookies are not.
export const sessionKey = {
    read: () => localStorage.getItem(STORAGE_KEY),
    store: (value) => localStorage.setItem(STORAGE_KEY, value),
    clear: () => localStorage.removeItem(STORAGE_KEY),
};

export function headers() {
    const held = key.read();
    return { "content-type": "application/json", ...(held ? { "x-toolscout-key": held } : {}) };
}

/// Asks; `body` is a value, or JSON as text where its exact writing counts.
export async function ask(method, path, { body, signal } = {}) {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    let response;
    try {
        const headers = requestHeaders();
        response = await fetch(projectPath(path), { method, headers, body: text, signal, cache: "no-store" });
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new Problem(0, {
            error: "toolscout does not answer",
            code: "GONE",
            hint: "is it still running? `toolscout ui`",
        });
    }
    const content = await readJson(response);
    if (response.ok) return content;
    if (response.status === 401) dispatchEvent(new CustomEvent("signed-out"));
    throw new ApiError(response.status, errorFields(content));
}

const prefetched = new Map();

/// Asks for what will be wanted in a moment, so that it is there by then.
export function ahead(path) {
    const answer = ask("GET", path);
    answer.catch(() => undefined);
    early.set(path, answer);
}

export function get(path, signal) {
    const response = prefetched.get(path);
    prefetched.delete(path);
    return response ?? request("GET", path, { signal });
}

export const post = (path, body = {}, signal) => request("POST", path, { body, signal });
export const put = (path, body) => request("PUT", path, { body });
export const del = (path) => request("DELETE", path, { body: {} });

/// A template tag that encodes the inserted path segments.
export function path(strings, ...segments) {
    return strings.reduce((joined, text, index) => joined + encodeURIComponent(segments[index - 1]) + text);
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

/// API errors are `{error, code, hint}`; requests that never reach the API get JSON-RPC errors.
function errorFields(content) {
    if (typeof content?.error === "string") return content;
    return { error: content?.error?.message, code: content?.code };
}
