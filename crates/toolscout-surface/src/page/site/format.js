// Formatting of numbers, times, texts and links for display.

/// Characters that are invisible, or that change the reading direction.
const INVISIBLE =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

/// Escapes invisible characters, so that text of third parties shows everything it contains.
export function escapeInvisible(text) {
    return String(text ?? "").replace(INVISIBLE, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);
}

/// Like `escapeInvisible`, on one line and with a maximum length.
export function truncate(text, maxLength = 280) {
    const flat = escapeInvisible(text).replace(/\s+/g, " ").trim();
    const chars = Array.from(flat.slice(0, maxLength * 2));
    return chars.length > maxLength ? `${chars.slice(0, maxLength).join("")}…` : chars.join("");
}

/// The link to a tool: `#/tools/source/name`.
export function toolHref(id) {
    const [source, ...name] = String(id).split("/");
    return `#/tools/${[source, name.join("/")].map(encodeURIComponent).join("/")}`;
}

/// Decodes a part of a URL; returns an invalid one unchanged.
export function decodeUrlPart(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/// Indented JSON. Invisible characters are escaped as JSON does it, so the value stays the same.
export function prettyJson(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return (text ?? "").replace(INVISIBLE, (char) => escapeUtf16(char));
}

function escapeUtf16(char) {
    return char
        .split("")
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join("");
}

const NUMBER_FORMAT = new Intl.NumberFormat("en");

/// A number with its noun: `1 tool`, `2 tools`.
export function plural(number, singular, many = `${singular}s`) {
    return `${NUMBER_FORMAT.format(number ?? 0)} ${number === 1 ? singular : many}`;
}

export function formatNumber(value) {
    return NUMBER_FORMAT.format(value ?? 0);
}

/// Milliseconds since the epoch, from RFC 3339, seconds or milliseconds.
function toTimestamp(value) {
    if (value === undefined || value === null || value === "") return undefined;
    const time = typeof value === "number" ? (value < 1e11 ? value * 1000 : value) : Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
}

/// A time relative to now: `3 min ago`, `in 4 min`.
export function relativeTime(value) {
    const time = toTimestamp(value);
    if (time === undefined) return "never";
    const seconds = Math.round((Date.now() - time) / 1000);
    if (seconds < 0) return `in ${roundedSeconds(-seconds)}`;
    return seconds < 2 ? "just now" : `${roundedSeconds(seconds)} ago`;
}

function roundedSeconds(seconds) {
    if (seconds < 120) return `${seconds} s`;
    if (seconds < 120 * 60) return `${Math.round(seconds / 60)} min`;
    if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
    return `${Math.round(seconds / 86400)} days`;
}

export function formatDuration(milliseconds) {
    if (milliseconds === undefined || milliseconds === null) return "";
    if (milliseconds < 1) return "<1 ms";
    if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
    return `${(milliseconds / 1000).toFixed(milliseconds < 10000 ? 1 : 0)} s`;
}

/// The time of day, with seconds.
export function formatTime(value) {
    const time = toTimestamp(value);
    if (time === undefined) return "";
    return new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
