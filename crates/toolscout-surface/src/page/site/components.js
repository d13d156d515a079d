// Parts that every view is made of: headings, what is not there, what went wrong, what to type.

import { announce, button, el, put } from "./dom.js";
import { line, shown } from "./words.js";

/// The head of a view: what it is, in a line, and what can be done.
export function heading(title, about, ...actions) {
    const words = el("div", {}, el("h1", {}, title), about && el("p", { class: "about" }, about));
    return el("div", { class: "heading" }, words, actions.length > 0 && el("div", { class: "actions" }, ...actions));
}

/// Something to type in a terminal, with a way to take it along.
export function command(text) {
    const copy = button(
        "Copy",
        async () => {
            await navigator.clipboard.writeText(text);
            announce("Copied");
            copy.textContent = "Copied";
            setTimeout(() => (copy.textContent = "Copy"), 1500);
        },
        { class: "quiet", "aria-label": `Copy: ${text}` },
    );
    return el("span", { class: "command" }, el("code", {}, text), copy);
}

/// Says that something is not there, and how it comes there.
export function empty(title, ...more) {
    return el("div", { class: "empty" }, el("p", { class: "title" }, title), ...more.map(sentence));
}

/// What went wrong, and what to do.
export function failed(error, again) {
    const hint = error.hint && el("p", { class: "hint" }, ticked(shown(error.hint)));
    const retry = again && button("Try again", again, { class: "plain" });
    return el("div", { class: "failed", role: "alert" }, el("p", {}, shown(error.message)), hint, retry);
}

/// Stands where something will be in a moment.
export function waiting(what) {
    return el("p", { class: "waiting" }, `${what}…`);
}

/// A word in a pill: a state, a policy, how bad something is.
export function chip(word, tone = "calm") {
    return el("span", { class: `chip ${tone}` }, line(word, 40));
}

/// A text with what is to be typed between backticks.
export function ticked(text) {
    return text.split("`").map((it, at) => (at % 2 ? el("code", {}, it) : it));
}

/// Other people's words, in a place of their own.
export function said(text, tag = "span", attributes = {}) {
    return el(tag, { dir: "auto", ...attributes, class: `said ${attributes.class ?? ""}` }, shown(text));
}

/// A part of a view under a title of its own.
export function section(title, ...children) {
    const id = `part-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
    return el("section", { class: "part", "aria-labelledby": id }, el("h2", { id }, title), ...children);
}

/// Text of any length, to be scrolled with the keyboard, too.
export function block(text, label) {
    return put(el("pre", { tabindex: "0", role: "group", "aria-label": label, class: "said" }), text);
}

/// Says what was done, or what went wrong, for a moment at the edge of the page.
export function toast(text, tone = "calm") {
    document.querySelector(".toast")?.remove();
    const node = el("div", { class: `toast ${tone}` }, shown(text));
    document.body.append(node);
    announce(shown(text));
    setTimeout(() => node.remove(), tone === "bad" ? 8000 : 3000);
}

/// Does something, and says what went wrong if it does.
export async function attempt(act, done) {
    try {
        const result = await act();
        if (done) toast(done);
        return result;
    } catch (error) {
        toast(error.hint ? `${error.message}. ${error.hint}` : error.message, "bad");
        return undefined;
    }
}

function sentence(it) {
    return typeof it === "string" ? el("p", {}, ticked(it)) : it;
}
