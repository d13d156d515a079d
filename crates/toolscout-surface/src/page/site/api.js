// Requests to `/api`, and their errors.

const STORAGE_KEY = "toolscout-key";

/// A failed request, with the hint and the pending approval of the response.
class ApiError extends Error {
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

/// The id of the project in the URL of the page; none for the first project of the process.
export const projectId = new URLSearchParams(location.search).get("project");

/// Paths that are not about one project.
const SHARED_PATHS = ["/api/me", "/api/projects"];

/// The path of a request about the project of this page.
export function projectPath(path, id = projectId) {
    if (!id || !path.startsWith("/api/") || SHARED_PATHS.includes(path)) return path;
    return `/api/projects/${encodeURIComponent(id)}/${path.slice("/api/".length)}`;
}

export function requestHeaders() {
    const key = sessionKey.read();
    return { "content-type": "application/json", ...(key ? { "x-toolscout-key": key } : {}) };
}

/// Sends a request. `body` is a value, or JSON text to send unchanged.
export async function request(method, path, { body, signal } = {}) {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    let response;
    try {
        const headers = requestHeaders();
        response = await fetch(projectPath(path), { method, headers, body: text, signal, cache: "no-store" });
    } catch (error) {
        throw signal?.aborted ? error : unreachable();
    }
    const content = await readJson(response);
    if (response.ok) return content;
    if (response.status === 401) dispatchEvent(new CustomEvent("signed-out"));
    throw new ApiError(response.status, errorFields(content));
}

const prefetched = new Map();

/// Starts a GET request whose response a later `get` of the same path returns.
export function prefetch(path) {
    const response = request("GET", path);
    response.catch(() => undefined);
    prefetched.set(path, response);
}

/// Stores a response for the next `get` of the same path.
export function reuse(path, response) {
    prefetched.set(path, response);
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

/// The query string of a URL; skips empty values.
export function queryString(fields) {
    const isSet = ([, value]) => value !== undefined && value !== null && value !== "";
    const given = Object.entries(fields).filter(isSet);
    return given.length ? `?${new URLSearchParams(given)}` : "";
}

/// Sends a POST request and reports its progress. Aborting the signal cancels the operation.
export async function postWithProgress(path, body, signal, onProgress) {
    const headers = { ...requestHeaders(), accept: "text/event-stream" };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    let response;
    try {
        response = await fetch(projectPath(path), { method: "POST", headers, body: text, signal, cache: "no-store" });
    } catch (error) {
        throw signal?.aborted ? error : unreachable();
    }
    if (!response.ok) {
        if (response.status === 401) dispatchEvent(new CustomEvent("signed-out"));
        throw new ApiError(response.status, errorFields(await readJson(response)));
    }
    let result;
    await readEvents(response.body.getReader(), (kind, data) => {
        if (kind === "progress") onProgress(data);
        if (kind === "result") result = data;
        if (kind === "error") throw new ApiError(0, errorFields(data));
    });
    if (result === undefined) throw unreachable();
    return result;
}

/// Reads server-sent events; calls `onEvent` with the kind and the data of each.
export async function readEvents(reader, onEvent) {
    const decoder = new TextDecoder();
    let buffer = "";
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        buffer += decoder.decode(value, { stream: true }).replace(/\r/g, "");
        const messages = buffer.split("\n\n");
        buffer = messages.pop();
        for (const message of messages) {
            const fields = message.split("\n").map((line) => line.match(/^(event|data): ?(.*)$/)).filter(Boolean);
            const values = (name) => fields.filter((field) => field[1] === name).map((field) => field[2]);
            const data = fields.length ? parse(values("data").join("\n")) : undefined;
            if (data !== undefined) onEvent(values("event")[0] ?? "message", data);
        }
    }
}

/// The data of an event; undefined if it cannot be parsed.
function parse(text) {
    try {
        return JSON.parse(text || "{}");
    } catch (error) {
        console.warn("Could not parse an event", error);
        return undefined;
    }
}

function unreachable() {
    return new ApiError(0, {
        error: "Cannot reach toolscout",
        code: "UNREACHABLE",
        hint: "Check that it is running. `toolscout ui` starts it and opens this page.",
    });
}

async function readJson(response) {
    const text = await response.text();
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
