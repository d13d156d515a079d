// Pending calls and quarantined tools.

import { get, path, post } from "./api.js";
import {
    badge,
    emptyState,
    errorMessage,
    externalText,
    loading,
    operatorsOnly,
    pageHeader,
    section,
    textBlock,
    toast,
    withErrorToast,
} from "./components.js";
import { button, el, setChildren, throttle } from "./dom.js";
import { subscribe } from "./events.js";
import { escapeInvisible, plural, prettyJson, relativeTime, toolHref, truncate } from "./format.js";
import { clientName } from "./timeline-entry.js";
import { WaitingTrust } from "./waiting-trust.js";

const SEVERITY_TONES = { severe: "error", note: "neutral" };
/// Quarantined tools that are shown at first, and with each "Show more".
const PAGE_SIZE = 25;
/// Changes that are shown of one definition.
const MAX_CHANGES = 50;

export function show(main, context) {
    const body = el("div", { class: "stack wide" }, loading("Loading approvals"));
    setChildren(main, pageHeader("Approvals", "Calls, tools, files and servers that need the approval of an operator."), body);
    if (context.me.role !== "operator") {
        setChildren(body, operatorsOnly("approve"));
        return {};
    }
    const trust = new WaitingTrust(context);
    main.append(trust.node);
    const view = { context, body, limit: PAGE_SIZE };
    view.load = () => Promise.all([load(view), trust.load()]);
    for (const kind of ["decision", "changed", "missed"]) subscribe(kind, throttle(200, view.load), context.signal);
    const timer = setInterval(view.load, 15000);
    context.signal.addEventListener("abort", () => clearInterval(timer));
    return { ready: view.load() };
}

async function load(view) {
    const { context, body } = view;
    try {
        const [{ approvals }, { reviews }] = await Promise.all([
            get("/api/approvals", context.signal),
            get("/api/reviews", context.signal),
        ]);
        const content = JSON.stringify([approvals, reviews, view.limit]);
        // Rendering the same content again would take the focus away.
        if (content === view.rendered) return;
        view.rendered = content;
        setChildren(
            body,
            section("Pending calls", pendingCalls(approvals, view)),
            section("Quarantined tools", quarantinedTools(reviews, view)),
        );
    } catch (error) {
        view.rendered = undefined;
        if (!context.signal.aborted) setChildren(body, errorMessage(error, view.load));
    }
}

/// Sends a decision, then shows the new state.
async function decide(view, url, decision, message) {
    await withErrorToast(() => post(url, decision), message);
    view.rendered = undefined;
    await view.load();
    view.context.refreshCounts();
}

function pendingCalls(approvals, view) {
    if (approvals.length === 0)
        return emptyState(
            "No pending calls",
            "Calls of tools with the policy `ask` appear here. Set the policy under Tools, or run `toolscout policy set TOOL ask`.",
        );
    return [
        approvals.length > 1 &&
            el(
                "div",
                { class: "actions" },
                button(`Review all ${approvals.length} calls`, () => showAllCalls(approvals, view), { class: "plain", id: "review-calls" }),
            ),
        el(
            "ul",
            { class: "cards" },
            approvals.map((approval) =>
                el("li", { class: "card", "data-approval": approval.id }, pendingCall(approval, view)),
            ),
        ),
    ];
}

/// The client that requested a call, its user, and when.
function requesterLine(approval) {
    const requester = [clientName(approval.client) ?? approval.caller, approval.user].filter(Boolean).map((name) => truncate(name, 60));
    const times = [`requested ${relativeTime(approval.requestedAt)}`, `expires ${relativeTime(approval.expiresAt)}`];
    return el("p", { class: "faint" }, escapeInvisible([...requester, ...times].join(" · ")));
}

/// Opens a dialog that shows all pending calls with their arguments, and decides the selected ones together.
function showAllCalls(approvals, view) {
    const items = approvals.map((approval) => {
        const input = el("input", { type: "checkbox", id: `select-${approval.id}`, checked: true });
        const label = el("label", { for: input.id }, externalText(truncate(approval.tool, 120)));
        const node = el(
            "li",
            { class: "review-item" },
            el("div", { class: "check" }, input, label),
            requesterLine(approval),
            textBlock(prettyJson(approval.arguments ?? {}), `Arguments of ${escapeInvisible(approval.tool)}`),
        );
        return { approval, input, node };
    });
    const dialog = el(
        "dialog",
        { class: "wide", "aria-labelledby": "calls-title" },
        el("h2", { id: "calls-title" }, `Review ${plural(approvals.length, "call")}`),
        el("ul", { class: "review-list", tabindex: "0", "aria-label": "Pending calls" }, items.map(({ node }) => node)),
    );
    const selected = () => items.filter(({ input }) => input.checked).map(({ approval }) => approval);
    const decideAll = (decision, verb) => async () => {
        const chosen = selected();
        dialog.close();
        const decideOne = ({ id }) => post(path`/api/approvals/${id}`, { decision });
        const results = await Promise.allSettled(chosen.map(decideOne));
        const failed = results.filter(({ status }) => status === "rejected");
        const message = `${verb} ${plural(chosen.length - failed.length, "call")}`;
        if (failed.length) toast(`${message}; ${failed.length} failed: ${failed[0].reason.message}`, "error");
        else toast(message);
        view.rendered = undefined;
        await view.load();
        view.context.refreshCounts();
    };
    const approve = button("Approve", decideAll("approve", "Approved"), { class: "strong" });
    const reject = button("Reject", decideAll("reject", "Rejected"), { class: "plain" });
    const update = () => {
        const count = selected().length;
        approve.textContent = `Approve ${plural(count, "call")}`;
        for (const action of [approve, reject]) action.disabled = count === 0;
    };
    update();
    dialog.addEventListener("change", update);
    dialog.append(el("div", { class: "actions end" }, button("Cancel", () => dialog.close(), { class: "quiet" }), reject, approve));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

function pendingCall(approval, view) {
    const tool = escapeInvisible(approval.tool);
    const url = path`/api/approvals/${approval.id}`;
    const send = (decision, message) => () => decide(view, url, { decision }, message);
    const choices = el("div", { class: "choices", hidden: true });
    const always = button("Always allow…", () => showLevels(approval, view, choices), {
        class: "quiet",
        "aria-label": `Always allow ${tool}…`,
    });
    return [
        el("h3", {}, externalText(truncate(approval.tool, 120))),
        requesterLine(approval),
        textBlock(prettyJson(approval.arguments ?? {}), "Arguments"),
        el(
            "div",
            { class: "actions" },
            button("Approve", send("approve", `Approved this call of ${tool}`), {
                class: "strong",
                "aria-label": `Approve this call of ${tool}`,
            }),
            button("Reject", send("reject", `Rejected this call of ${tool}`), {
                class: "plain",
                "aria-label": `Reject this call of ${tool}`,
            }),
            always,
        ),
        choices,
    ];
}

const LEVELS = { global: "in all projects", project: "in this project", session: "until toolscout stops" };

/// Offers the levels at which `allow` takes effect: those below the one that requires approval cannot be looser.
async function showLevels(approval, view, node) {
    const [source, name] = [sourceOf(approval.tool), approval.tool.slice(sourceOf(approval.tool).length + 1)];
    const response = await withErrorToast(() => get(path`/api/tools/${source}/${name}` + "?all=true", view.context.signal));
    if (!response) return;
    const isStrict = (level) => level.value && level.value !== "allow";
    const { levels } = response.tool.policies;
    const strict = levels.filter(isStrict).map(({ level }) => level);
    const possible = Object.keys(LEVELS).filter((level) => strict.every((other) => other === level));
    const url = path`/api/approvals/${approval.id}`;
    const allow = (level) => () =>
        decide(view, url, { decision: "approve", always: level }, `${escapeInvisible(approval.tool)} is allowed ${LEVELS[level]}`);
    node.hidden = false;
    if (possible.length === 0) {
        const text = `Several levels require approval (${strict.join(", ")}). Change the policy of the tool under Tools.`;
        setChildren(node, el("p", { class: "faint" }, text));
        return;
    }
    setChildren(
        node,
        el("p", { class: "faint" }, "Approves this call, and sets the policy of the tool to allow:"),
        el(
            "div",
            { class: "actions" },
            possible.map((level) => button(`Allow ${LEVELS[level]}`, allow(level), { class: "plain" })),
        ),
    );
    node.querySelector("button").focus();
}

function quarantinedTools(reviews, view) {
    if (reviews.length === 0)
        return emptyState(
            "No quarantined tools",
            "A tool appears here if its definition changed or looks suspicious, or if its server is not approved yet.",
        );
    const visible = reviews.slice(0, view.limit);
    const remaining = reviews.length - visible.length;
    const bySource = Map.groupBy(reviews, (review) => sourceOf(review.tool));
    const several = [...bySource].filter(([, ofSource]) => ofSource.length > 1);
    return [
        el("p", { class: "faint" }, plural(reviews.length, "tool")),
        several.length > 0 &&
            el(
                "div",
                { class: "actions" },
                several.map(([source, ofSource]) => approveAllButton(source, ofSource, view)),
            ),
        el(
            "ul",
            { class: "cards" },
            visible.map((review) =>
                el("li", { class: "card", "data-review": review.tool }, quarantinedTool(review, view)),
            ),
        ),
        remaining > 0 &&
            button(
                `Show ${Math.min(remaining, PAGE_SIZE)} more`,
                () => {
                    view.limit += PAGE_SIZE;
                    return view.load();
                },
                { class: "quiet wide" },
            ),
    ];
}

function sourceOf(tool) {
    return tool.slice(0, tool.indexOf("/"));
}

/// Opens a dialog that shows all quarantined tools of a source, and approves them together.
function approveAllButton(source, reviews, view) {
    const name = truncate(source, 40);
    return button(`Review all ${reviews.length} tools of ${name}`, () => showAll(source, reviews, view), { class: "plain" });
}

function showAll(source, reviews, view) {
    const name = truncate(source, 40);
    const withFindings = reviews.filter((review) => review.findings.length > 0).length;
    const digests = Object.fromEntries(reviews.map(({ tool, digest }) => [tool, digest]));
    const item = ({ tool, definition, findings, changes }) =>
        el(
            "li",
            { class: "review-item" },
            el("p", {}, externalText(truncate(tool, 120), "strong"), " ", changes.length > 0 && badge("changed", "warning")),
            externalText(truncate(definition?.description || "No description", 400), "p", { class: "faint" }),
            findings.length > 0 && el("ul", { class: "findings" }, findings.map(findingItem)),
            el(
                "details",
                {},
                el("summary", {}, "Definition"),
                textBlock(prettyJson(definition), `Definition of ${escapeInvisible(tool)}`),
            ),
        );
    const dialog = el(
        "dialog",
        { class: "wide", "aria-labelledby": "bulk-title" },
        el("h2", { id: "bulk-title" }, `Approve ${plural(reviews.length, "tool")} of ${name}`),
        withFindings > 0 && el("p", { class: "notice" }, `${plural(withFindings, "tool")} with findings. Read them first.`),
        el("ul", { class: "review-list", tabindex: "0", "aria-label": "Quarantined tools" }, reviews.map(item)),
    );
    const approve = async () => {
        dialog.close();
        const message = `Approved ${plural(reviews.length, "tool")} of ${escapeInvisible(source)}`;
        await decide(view, "/api/reviews", { server: source, decision: "approve", digests }, message);
    };
    dialog.append(
        el(
            "div",
            { class: "actions end" },
            button("Cancel", () => dialog.close(), { class: "quiet" }),
            button(`Approve ${plural(reviews.length, "tool")}`, approve, { class: "strong" }),
        ),
    );
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

function quarantinedTool(review, view) {
    const { tool, digest, findings, changes } = review;
    const name = escapeInvisible(tool);
    const severity = review.severity && badge(review.severity, SEVERITY_TONES[review.severity]);
    const send = (decision, message) => () => decide(view, "/api/reviews", { tool, digest, decision }, message);
    return [
        el(
            "h3",
            {},
            externalText(truncate(tool, 120)),
            " ",
            severity,
            " ",
            review.rejected && badge("rejected", "error"),
        ),
        externalText(review.reason, "p"),
        findings.length > 0 && el("ul", { class: "findings" }, findings.map(findingItem)),
        changes.length > 0 &&
            el(
                "div",
                { class: "diff" },
                changes.slice(0, MAX_CHANGES).map(changeNode),
                changes.length > MAX_CHANGES &&
                    el("p", { class: "faint" }, `and ${changes.length - MAX_CHANGES} more changes`),
            ),
        el(
            "div",
            { class: "actions" },
            button("Approve", send("approve", `Approved ${name}`), {
                class: "strong",
                "aria-label": `Approve ${name}`,
            }),
            button("Reject", send("reject", `Rejected ${name}`), {
                class: "plain",
                "aria-label": `Reject ${name}`,
            }),
            el("a", { class: "button quiet", href: toolHref(tool), "aria-label": `View definition of ${name}` }, "View definition"),
        ),
    ];
}

function findingItem(finding) {
    return el(
        "li",
        {},
        badge(finding.severity, SEVERITY_TONES[finding.severity] ?? "warning"),
        " ",
        el("strong", {}, truncate(finding.kind, 60)),
        " ",
        externalText(finding.text),
    );
}

/// A changed value of a definition, before and after.
function changeNode(change) {
    const side = (tag, sign, text) =>
        text !== undefined &&
        text !== null &&
        el(
            tag,
            {},
            el("span", { "aria-hidden": "true" }, sign),
            externalText(typeof text === "string" ? text : prettyJson(text)),
        );
    return el(
        "div",
        { class: "change" },
        el("p", { class: "path external" }, escapeInvisible(change.path)),
        side("del", "− ", change.before),
        side("ins", "+ ", change.after),
    );
}
