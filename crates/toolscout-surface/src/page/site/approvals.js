// Pending calls and quarantined tools.

import { get, path, post } from "./api.js";
import { button, el, gathered, replace } from "./dom.js";
import { on } from "./events.js";
import { attempt, block, chip, empty, failed, heading, said, section, waiting } from "./parts.js";
import { ago, count, line, pretty, shown } from "./words.js";

const SEVERE = { severe: "bad", note: "calm" };
/// Reviews that are shown before somebody asks for more.
const PAGE = 25;

export function show(main, context) {
    const body = el("div", { class: "stack wide" }, loading("Loading approvals"));
    setChildren(main, pageHeader("Approvals", "Calls and tools that need the approval of an operator."), body);
    if (context.me.role !== "operator") {
        setChildren(body, emptyState("Only operators can approve", "Run `toolscout ui` to sign in as operator."));
        return {};
    }
    const view = { context, body, limit: PAGE_SIZE };
    view.load = () => load(view);
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
        if (!context.signal.aborted) setChildren(body, errorMessage(error, view.load));
    }
}

function calls(approvals, view) {
    if (approvals.length === 0)
        return emptyState(
            "No pending calls",
            "Calls of tools with the policy `ask` appear here. Set the policy under Tools, or run `toolscout policy set TOOL ask`.",
        );
    return el(
        "ul",
        { class: "cards" },
        approvals.map((approval) =>
            el("li", { class: "card", "data-approval": approval.id }, pendingCall(approval, view)),
        ),
    );
}

function call(it, view) {
    const who = [it.client, it.user, it.caller]
        .filter(Boolean)
        .map((word) => line(word, 60))
        .join(" · ");
    const decide = (decision, word) => async () => {
        await attempt(() => post(path`/api/approvals/${it.id}`, { decision }), `${shown(it.tool)}: ${word}`);
        view.drawn = undefined;
        await view.load();
        view.page.refreshCounts();
    };
    return [
        el("h3", {}, said(line(it.tool, 120))),
        el(
            "p",
            { class: "faint" },
            `${who ? `${who} · ` : ""}asked ${ago(it.asked)}${it.expires ? ` · ends ${ago(it.expires)}` : ""}`,
        ),
        block(pretty(it.arguments ?? {}), "The arguments"),
        el(
            "div",
            { class: "actions" },
            button("Approve this call", decide("approve", "approved"), { class: "strong" }),
            button("Deny", decide("deny", "denied"), { class: "plain" }),
        ),
    ];
}

function definitions(reviews, view) {
    if (reviews.length === 0)
        return empty(
            "Nothing to review",
            "Quarantined definitions appear here: changed ones, suspicious ones, and those of servers that are not approved yet.",
        );
    const some = reviews.slice(0, view.shown);
    const sources = [...new Set(reviews.map((it) => sourceOf(it.tool)))].filter(
        (it) => reviews.filter((one) => sourceOf(one.tool) === it).length > 1,
    );
    const rest = reviews.length - some.length;
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

/// Asks once more: it says yes to many at once.
function approveAll(source, reviews, view) {
    const many = reviews.filter((it) => sourceOf(it.tool) === source).length;
    const sure = button(
        `Approve all ${many} of ${line(source, 40)}`,
        async () => {
            if (sure.dataset.sure !== "yes") {
                sure.dataset.sure = "yes";
                sure.textContent = `Sure? ${count(many, "definition")}, ${reviews.some((it) => sourceOf(it.tool) === source && it.findings?.length) ? "some with findings" : "no findings"}`;
                return;
            }
            await decide(view, { server: source, decision: "approve" }, `${shown(source)}: approved`);
        },
        { class: "plain" },
    );
    return sure;
}

async function decide(view, body, done) {
    await attempt(() => post("/api/reviews", body), done);
    view.drawn = undefined;
    await view.load();
    view.page.refreshCounts();
}

function review(it, view) {
    const { tool, digest } = it;
    const findings = it.findings ?? [];
    const changes = it.changes ?? [];
    const severity = it.severity && chip(it.severity, SEVERE[it.severity] ?? "calm");
    const [source, ...name] = tool.split("/");
    const link = `#/tools/${[source, name.join("/")].map(encodeURIComponent).join("/")}`;
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
            el("a", { class: "button quiet", href, "aria-label": `View definition of ${name}` }, "View definition"),
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
