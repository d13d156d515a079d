// Calls a tool: a form for its arguments, and the result.

import { path, post, postWithProgress } from "./api.js";
import { badge, errorMessage, withErrorToast } from "./components.js";
import { announce, button, el, setChildren, uniqueId } from "./dom.js";
import { escapeInvisible, formatDuration, formatNumber, prettyJson, truncate } from "./format.js";
import { schemaForm } from "./schema-form.js";
import { toolResult } from "./tool-result.js";

export function tryTool(tool, context) {
    const form = schemaForm(tool.inputSchema ?? {});
    const jsonInput = el("textarea", { id: uniqueId("json"), rows: "8", spellcheck: "false", class: "code" });
    const jsonField = el(
        "div",
        { class: "field", hidden: true },
        el("label", { for: jsonInput.id }, "Arguments (JSON)"),
        jsonInput,
    );
    const result = el("div", { class: "result", "aria-live": "polite" });
    const state = { tool, context, form, jsonInput, jsonField, result, isJson: false };
    const toggle = button("Edit as JSON", () => toggleJson(state, toggle), { class: "quiet" });
    const run = el("button", { type: "submit", class: "strong" }, "Run");
    const node = el(
        "form",
        { class: "stack tryout", novalidate: true },
        form.node,
        jsonField,
        el("div", { class: "actions" }, run, toggle),
    );
    node.addEventListener("submit", (event) => {
        event.preventDefault();
        void call(state, run);
    });
    return el("div", {}, node, result);
}

/// Switches between the form and the JSON input.
function toggleJson(state, toggle) {
    state.isJson = !state.isJson;
    if (state.isJson) state.jsonInput.value = prettyJson(state.form.value());
    state.form.node.hidden = state.isJson;
    state.jsonField.hidden = !state.isJson;
    toggle.textContent = state.isJson ? "Use the form" : "Edit as JSON";
    if (state.isJson) state.jsonInput.focus();
}

/// The arguments as JSON text; undefined if they are invalid. Typed JSON is sent unchanged, because JavaScript cannot
/// represent all its numbers.
function readArguments(state) {
    if (!state.isJson) return state.form.validate() ? JSON.stringify(state.form.value()) : undefined;
    const text = state.jsonInput.value.trim() || "{}";
    try {
        const isObject = Object.getPrototypeOf(JSON.parse(text)) === Object.prototype;
        if (isObject) return text;
        throw new Error('write the arguments as {"name": value}');
    } catch (error) {
        setChildren(state.result, errorMessage({ message: `Not a JSON object: ${error.message}` }));
        return undefined;
    }
}

async function call(state, run) {
    const text = readArguments(state);
    if (text === undefined || run.getAttribute("aria-disabled") === "true") return;
    run.setAttribute("aria-disabled", "true");
    run.textContent = "Running…";
    const controller = new AbortController();
    const progress = progressView(() => controller.abort());
    setChildren(state.result, progress.node);
    const { id, digest } = state.tool;
    const expect = digest ? `,"expect":${JSON.stringify(digest)}` : "";
    const body = `{"name":${JSON.stringify(id)},"arguments":${text}${expect}}`;
    const signal = AbortSignal.any([controller.signal, state.context.signal]);
    try {
        const response = await postWithProgress("/api/call", body, signal, progress.update);
        setChildren(state.result, toolResult(response));
        const outcome = response.result.isError ? "Failed" : "Succeeded";
        announce(`${outcome} after ${formatDuration(response.durationMs)}`);
    } catch (error) {
        if (state.context.signal.aborted) return;
        if (controller.signal.aborted) showCancelled(state, progress.elapsed());
        else setChildren(state.result, callError(state, run, error));
    } finally {
        progress.stop();
        run.removeAttribute("aria-disabled");
        run.textContent = "Run";
    }
}

function showCancelled(state, elapsed) {
    const text = `Cancelled after ${formatDuration(elapsed)}`;
    setChildren(state.result, el("p", { class: "status-line", "data-cancelled": true }, badge("cancelled"), ` after ${formatDuration(elapsed)}`));
    announce(text);
}

/// The progress of a running call, with a button that cancels it.
function progressView(onCancel) {
    const start = performance.now();
    const elapsed = () => performance.now() - start;
    const bar = el("progress", { "aria-label": "Progress of the call" });
    const message = el("span", { class: "external" }, "Waiting for the tool…");
    const time = el("span", { class: "faint" }, formatDuration(0));
    const timer = setInterval(() => (time.textContent = formatDuration(elapsed())), 250);
    const update = ({ done, total, message: text }) => {
        if (total > 0) Object.assign(bar, { max: total, value: done });
        const share = total > 0 ? `${formatNumber(done)} of ${formatNumber(total)}` : formatNumber(done);
        message.textContent = text ? `${share}: ${truncate(escapeInvisible(text), 200)}` : share;
    };
    const node = el(
        "div",
        { class: "progress" },
        bar,
        el("p", { class: "status-line" }, message, " · ", time),
        button("Cancel", onCancel, { class: "plain" }),
    );
    return { node, update, elapsed, stop: () => clearInterval(timer) };
}

/// The error of a call; with a button to approve the call, if that is all it needs.
function callError(state, run, error) {
    const isOperator = state.context.me.role === "operator";
    if (error.code !== "APPROVAL_REQUIRED" || !error.approval || !isOperator) return errorMessage(error);
    const approveAndRun = button(
        "Approve and run",
        async () => {
            const isApproved = await withErrorToast(() =>
                post(path`/api/approvals/${error.approval}`, { decision: "approve" }).then(() => true),
            );
            if (isApproved) await call(state, run);
        },
        { class: "strong" },
    );
    const viewApprovals = el("a", { class: "button quiet", href: "#/approvals" }, "View approvals");
    return el(
        "div",
        { class: "notice" },
        el("p", {}, "This call needs approval."),
        el("div", { class: "actions" }, approveAndRun, viewApprovals),
    );
}
