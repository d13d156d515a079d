// Tries a tool: a form made from what it takes, or JSON, and what came of the call.

import { path, post } from "./api.js";
import { announce, button, el, fresh, replace } from "./dom.js";
import { formOf } from "./form.js";
import { attempt, failed } from "./parts.js";
import { resultOf } from "./result.js";
import { pretty, took } from "./words.js";

export function tryOut(tool, page) {
    const form = formOf(tool.inputSchema ?? {});
    const raw = el("textarea", { id: fresh("raw"), rows: "8", spellcheck: "false", class: "code" });
    const rawField = el(
        "div",
        { class: "field", hidden: true },
        el("label", { for: raw.id }, "Arguments, as JSON"),
        raw,
    );
    const result = el("div", { class: "result", "aria-live": "polite" });
    const state = { tool, page, form, raw, rawField, result, isRaw: false };
    const toggle = button("Write JSON instead", () => flip(state, toggle), { class: "quiet" });
    const run = el("button", { type: "submit", class: "strong" }, "Run");
    const node = el(
        "form",
        { class: "stack tryout", novalidate: true },
        form.node,
        rawField,
        el("div", { class: "actions" }, run, toggle),
    );
    node.addEventListener("submit", (event) => {
        event.preventDefault();
        void send(state, run);
    });
    if (form.isEmpty) toggle.textContent = "Give arguments as JSON";
    return el("div", {}, node, result);
}

function flip(state, toggle) {
    state.isRaw = !state.isRaw;
    if (state.isRaw) state.raw.value = pretty(state.form.value());
    state.form.node.hidden = state.isRaw;
    state.rawField.hidden = !state.isRaw;
    toggle.textContent = state.isRaw ? "Use the form" : "Write JSON instead";
    if (state.isRaw) state.raw.focus();
}

/// The arguments as JSON text; none where something in them is wrong. Text, because numbers may be larger than ours.
function written(state) {
    if (!state.isRaw) return state.form.check() ? JSON.stringify(state.form.value()) : undefined;
    const text = state.raw.value.trim() || "{}";
    try {
        const isObject = Object.getPrototypeOf(JSON.parse(text)) === Object.prototype;
        if (isObject) return text;
        throw new Error('arguments are an object: {"name": value}');
    } catch (error) {
        replace(state.result, failed({ message: `Not a JSON object: ${error.message}` }));
        return undefined;
    }
}

async function send(state, run) {
    const text = written(state);
    if (text === undefined || run.getAttribute("aria-disabled") === "true") return;
    run.setAttribute("aria-disabled", "true");
    run.textContent = "Running…";
    replace(state.result);
    const { id, digest } = state.tool;
    const expect = digest ? `,"expect":${JSON.stringify(digest)}` : "";
    try {
        const answer = await post(
            "/api/call",
            `{"name":${JSON.stringify(id)},"arguments":${text}${expect}}`,
            state.page.signal,
        );
        replace(state.result, resultOf(answer));
        announce(`${answer.result?.isError ? "The tool failed" : "Done"} after ${took(answer.tookMs)}`);
    } catch (error) {
        if (state.page.signal.aborted) return;
        replace(state.result, refused(state, run, error));
    } finally {
        run.removeAttribute("aria-disabled");
        run.textContent = "Run";
    }
}

function refused(state, run, error) {
    const isOperator = state.page.me.role === "operator";
    if (error.code !== "APPROVAL_REQUIRED" || !error.approval || !isOperator) return failed(error);
    const yes = button(
        "Approve, and run",
        async () => {
            const said = await attempt(() =>
                post(path`/api/approvals/${error.approval}`, { decision: "approve" }).then(() => true),
            );
            if (said) await send(state, run);
        },
        { class: "strong" },
    );
    return el(
        "div",
        { class: "notice" },
        el("p", {}, "This call needs approval first."),
        el("div", { class: "actions" }, yes, el("a", { class: "button quiet", href: "#/approvals" }, "Show approvals")),
    );
}
