// What a tool said: texts as texts, and pictures only of kinds that carry no script.

import { button, el, replace } from "./dom.js";
import { block, chip } from "./parts.js";
import { pretty, shown, took } from "./words.js";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/// Letters of a text that are shown before somebody asks for more.
const MOST = 100000;

export function resultOf(answer) {
    const result = answer.result ?? {};
    const state = result.isError ? chip("failed", "bad") : chip("done", "good");
    const parts = (result.content ?? []).map(part);
    const structured =
        result.structuredContent !== undefined &&
        el(
            "details",
            { open: parts.length === 0 },
            el("summary", {}, "As structured content"),
            text(pretty(result.structuredContent), "Structured content"),
        );
    const nothing = parts.length === 0 && !structured && el("p", { class: "faint" }, "The result is empty.");
    return el(
        "div",
        { class: "stack" },
        el("p", { class: "now" }, state, ` after ${took(answer.tookMs)}`),
        parts,
        structured,
        nothing,
    );
}

function part(it) {
    if (it?.type === "text") return text(shown(it.text), "Output of the tool");
    if (it?.type === "image") return picture(it);
    return text(pretty(it), "A part of the result, as JSON");
}

function picture(it) {
    const isSafe = PICTURES.has(it.mimeType) && /^[A-Za-z0-9+/=\s]+$/.test(it.data ?? "");
    if (!isSafe)
        return el("p", { class: "faint" }, `An image of type ${shown(it.mimeType)}, which cannot be shown here.`);
    return el("img", {
        class: "picture",
        alt: "Image from the tool",
        src: `data:${it.mimeType};base64,${it.data.replace(/\s/g, "")}`,
    });
}

function text(whole, label) {
    if (whole.length <= MOST) return block(whole, label);
    const cut = block(`${whole.slice(0, MOST)}…`, label);
    const more = button(
        `Show all ${whole.length} characters`,
        () => {
            replace(cut, whole);
            more.remove();
        },
        { class: "quiet" },
    );
    return el("div", {}, cut, more);
}
