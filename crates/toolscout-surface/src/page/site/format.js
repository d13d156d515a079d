// How things are said: times, numbers, and other people's texts.

/// What is not seen, or changes the order in which one reads.
const ODD =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

/// Other people's text, with everything in it to be seen.
export function shown(text) {
    return String(text ?? "").replace(ODD, (it) => `\\u{${it.codePointAt(0).toString(16)}}`);
}

/// As `shown`, on one line and no longer than this.
export function line(text, most = 280) {
    const flat = shown(text).replace(/\s+/g, " ").trim();
    const letters = Array.from(flat.slice(0, most * 2));
    return letters.length > most ? `${letters.slice(0, most).join("")}…` : letters.join("");
}

/// JSON for people: every character in it is seen, and it still means the same.
export function pretty(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return (text ?? "").replace(ODD, (it) => utf16(it));
}

function utf16(letter) {
    return letter
        .split("")
        .map((it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join("");
}

const NUMBER = new Intl.NumberFormat("en");

export function count(number, one, many = `${one}s`) {
    return `${NUMBER.format(number ?? 0)} ${number === 1 ? one : many}`;
}

export function number(value) {
    return NUMBER.format(value ?? 0);
}

/// A moment, whatever it is written as: RFC 3339, seconds or milliseconds.
export function moment(value) {
    if (value === undefined || value === null || value === "") return undefined;
    const time = typeof value === "number" ? (value < 1e11 ? value * 1000 : value) : Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
}

/// How long ago, or how long from now.
export function ago(value) {
    const time = moment(value);
    if (time === undefined) return "never";
    const seconds = Math.round((Date.now() - time) / 1000);
    if (seconds < 0) return `in ${span(-seconds)}`;
    return seconds < 2 ? "just now" : `${span(seconds)} ago`;
}

function span(seconds) {
    if (seconds < 120) return `${seconds} s`;
    if (seconds < 120 * 60) return `${Math.round(seconds / 60)} min`;
    if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
    return `${Math.round(seconds / 86400)} days`;
}

/// How long something took.
export function took(milliseconds) {
    if (milliseconds === undefined || milliseconds === null) return "";
    if (milliseconds < 1) return "<1 ms";
    if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
    return `${(milliseconds / 1000).toFixed(milliseconds < 10000 ? 1 : 0)} s`;
}

export function clock(value) {
    const time = moment(value);
    if (time === undefined) return "";
    return new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
