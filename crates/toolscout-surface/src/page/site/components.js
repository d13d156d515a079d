// Components shared by all views: headers, empty states, errors, badges, toasts.

import { announce, append, button, el, setChildren } from "./dom.js";
import { escapeInvisible, formatDuration, plural, truncate } from "./format.js";

const POLICY_TONES = { allow: "success", ask: "warning" };

/// The header of a view: title, description and actions.
export function pageHeader(title, description, ...actions) {
    const text = el("div", {}, el("h1", {}, title), description && el("p", { class: "about" }, description));
    return el("div", { class: "heading" }, text, actions.length > 0 && el("div", { class: "actions" }, ...actions));
}

/// A command with a copy button.
export function copyableCommand(text) {
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

/// A placeholder for an empty list: what is missing, and how to add it.
export function emptyState(title, ...paragraphs) {
    return el("div", { class: "empty" }, el("p", { class: "title" }, title), ...paragraphs.map(paragraph));
}

/// A placeholder for what only operators can do: `see profiles`.
export function operatorsOnly(action) {
    return emptyState(`Only operators can ${action}`, "Run `toolscout ui` to sign in as operator.");
}

/// Shows the placeholder instead of a view if the user is no operator. Returns whether it did.
export function showOperatorsOnly(main, { me }, title, action) {
    if (me.role === "operator") return false;
    setChildren(main, pageHeader(title), operatorsOnly(action));
    return true;
}

/// An error with its hint, and a button to try again.
export function errorMessage(error, retry) {
    const hint = error.hint && el("p", { class: "hint" }, withCode(escapeInvisible(error.hint)));
    const retryButton = retry && button("Try again", retry, { class: "plain" });
    return el(
        "div",
        { class: "failed", role: "alert" },
        el("p", {}, escapeInvisible(error.message)),
        hint,
        retryButton,
    );
}

/// A number with its name and a description, for a list of tiles.
export function tile(name, value, ...descriptions) {
    return el(
        "div",
        { class: "tile" },
        el("dt", {}, name),
        el("dd", { class: "value" }, value),
        descriptions.filter(Boolean).map((description) => el("dd", { class: "faint" }, description)),
    );
}

/// The result of a test of a server.
export function testResult(result) {
    const facts = [
        result.toolCount !== undefined && plural(result.toolCount, "tool"),
        result.protocol && `protocol ${result.protocol}`,
    ];
    const summary = result.ok
        ? `Test passed in ${formatDuration(result.latencyMs)}: ${facts.filter(Boolean).join(", ")}`
        : `Test failed: ${result.error ?? "unknown error"}`;
    return el(
        "div",
        { class: "test-result", role: "status" },
        el("p", { class: result.ok ? "success" : "error" }, escapeInvisible(summary)),
        result.hint && el("p", { class: "hint" }, withCode(escapeInvisible(result.hint))),
    );
}

/// A loading indicator.
export function loading(text) {
    return el("p", { class: "loading" }, `${text}…`);
}

/// A short word in a pill: a state, a policy, a severity. The tone is `neutral`, `success`, `warning` or `error`.
export function badge(text, tone = "neutral") {
    return el("span", { class: `badge ${tone}` }, truncate(text, 40));
}

/// The effect of a policy: green if calls are allowed, red if they are not.
export function policyBadge(policy) {
    return badge(policy, POLICY_TONES[policy] ?? "error");
}

/// A note about incomplete data.
export function note(text) {
    return el("p", { class: "hint" }, escapeInvisible(text));
}

/// Text with code between backticks.
export function withCode(text) {
    return text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

/// Text of a third party: escaped, and isolated from the reading direction of the page.
export function externalText(text, tag = "span", attributes = {}) {
    return el(tag, { dir: "auto", ...attributes, class: `external ${attributes.class ?? ""}` }, escapeInvisible(text));
}

/// A section with a heading.
export function section(title, ...children) {
    const id = `section-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
    return el("section", { class: "section", "aria-labelledby": id }, el("h2", { id }, title), ...children);
}

/// Preformatted text that can be scrolled with the keyboard.
export function textBlock(text, label) {
    return append(el("pre", { tabindex: "0", role: "group", "aria-label": label, class: "external" }), text);
}

/// Shows a message at the edge of the page for a few seconds.
export function toast(text, tone = "neutral") {
    document.querySelector(".toast")?.remove();
    const node = el("div", { class: `toast ${tone}` }, escapeInvisible(text));
    document.body.append(node);
    announce(escapeInvisible(text));
    setTimeout(() => node.remove(), tone === "error" ? 8000 : 3000);
}

/// Runs `act` and shows its error as a toast. Returns undefined if it failed.
export async function withErrorToast(act, successMessage) {
    try {
        const result = await act();
        if (successMessage) toast(successMessage);
        return result;
    } catch (error) {
        toast(error.hint ? `${error.message}. ${error.hint}` : error.message, "error");
        return undefined;
    }
}

/// Shows the effect of an action, and a button that confirms it.
export function confirmAction(node, label, effect, act) {
    const confirm = button(truncate(label, 60), act, { class: "strong danger" });
    const cancel = button("Cancel", () => setChildren(node), { class: "quiet" });
    setChildren(node, el("p", {}, effect), el("div", { class: "actions" }, confirm, cancel));
    confirm.focus();
}

function paragraph(content) {
    return typeof content === "string" ? el("p", {}, withCode(content)) : content;
}
