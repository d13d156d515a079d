// The result of a call. Text is shown as text; images only in formats that cannot contain scripts.

import { badge, textBlock } from "./components.js";
import { button, el, setChildren } from "./dom.js";
import { escapeInvisible, formatDuration, formatNumber, prettyJson } from "./format.js";

const SAFE_IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/// Characters of a text that are shown at first.
const PREVIEW_LENGTH = 100000;

export function toolResult({ result, durationMs }) {
    const outcome = result.isError ? badge("failed", "error") : badge("succeeded", "success");
    const parts = (result.content ?? []).map(contentPart);
    const structured =
        result.structuredContent !== undefined &&
        el(
            "details",
            { open: parts.length === 0 },
            el("summary", {}, "Structured content"),
            longText(prettyJson(result.structuredContent), "Structured content"),
        );
    const empty = parts.length === 0 && !structured && el("p", { class: "faint" }, "The result is empty.");
    return el(
        "div",
        { class: "stack" },
        el("p", { class: "status-line" }, outcome, ` after ${formatDuration(durationMs)}`),
        parts,
        structured,
        empty,
    );
}

function contentPart(part) {
    if (part?.type === "text") return longText(escapeInvisible(part.text), "Output");
    if (part?.type === "image") return image(part);
    return longText(prettyJson(part), "Content as JSON");
}

function image({ mimeType, data = "" }) {
    const isSafe = SAFE_IMAGE_TYPES.has(mimeType) && /^[A-Za-z0-9+/=\s]+$/.test(data);
    if (!isSafe) return el("p", { class: "faint" }, `Images of type ${escapeInvisible(mimeType)} cannot be displayed.`);
    return el("img", {
        class: "picture",
        alt: "Image returned by the tool",
        src: `data:${mimeType};base64,${data.replace(/\s/g, "")}`,
    });
}

function longText(text, label) {
    if (text.length <= PREVIEW_LENGTH) return textBlock(text, label);
    const preview = textBlock(`${text.slice(0, PREVIEW_LENGTH)}…`, label);
    const showAll = button(
        `Show all ${formatNumber(text.length)} characters`,
        () => {
            setChildren(preview, text);
            showAll.remove();
        },
        { class: "quiet" },
    );
    return el("div", {}, preview, showAll);
}
