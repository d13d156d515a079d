// What waits for a person: calls that were asked about, and definitions that somebody has to look at.

import { get, path, post } from "./api.js";
import { button, el, gathered, replace } from "./dom.js";
import { on } from "./events.js";
import { attempt, block, chip, empty, failed, heading, said, section, waiting } from "./parts.js";
import { ago, count, line, pretty, shown } from "./words.js";

const SEVERE = { severe: "bad", note: "calm" };
/// Reviews that are shown before somebody asks for more.
const PAGE = 25;

export function show(main, page) {
    const body = el("div", { class: "stack wide" }, waiting("Loading approvals"));
    replace(main, heading("Approvals", "Calls and definitions that need your approval."), body);
    if (page.me.role !== "operator") {
        replace(body, empty("Only an operator decides", "`toolscout ui` signs you in as one."));
        return {};
    }
    const view = { page, body, shown: PAGE };
    view.load = () => fill(view);
    for (const kind of ["decision", "changed", "missed"]) on(kind, gathered(200, view.load), page.signal);
    const timer = setInterval(view.load, 15000);
    page.signal.addEventListener("abort", () => clearInterval(timer));
    return { ready: view.load() };
}

async function fill(view) {
    const { page, body } = view;
    try {
        const [{ approvals }, { reviews }] = await Promise.all([
            get("/api/approvals", page.signal),
            get("/api/reviews", page.signal),
        ]);
        const text = JSON.stringify([approvals, reviews, view.shown]);
        // Drawing the same again would take the focus away.
        if (text === view.drawn) return;
        view.drawn = text;
        replace(body, section("Calls", calls(approvals, view)), section("Definitions", definitions(reviews, view)));
    } catch (error) {
        if (!page.signal.aborted) replace(body, failed(error, view.load));
    }
}

function calls(approvals, view) {
    if (approvals.length === 0)
        return empty(
            "No pending calls",
            "Calls of tools with the policy `ask` appear here. Set it under Tools, or with `toolscout policy set TOOL ask`.",
        );
    return el(
        "ul",
        { class: "cards" },
        approvals.map((it) => el("li", { class: "card", "data-approval": it.id }, call(it, view))),
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
        el("p", { class: "faint" }, count(reviews.length, "definition")),
        sources.length > 0 &&
            el(
                "div",
                { class: "actions" },
                sources.map((it) => approveAll(it, reviews, view)),
            ),
        el(
            "ul",
            { class: "cards" },
            some.map((it) => el("li", { class: "card", "data-review": it.tool }, review(it, view))),
        ),
        rest > 0 &&
            button(
                `Show ${Math.min(rest, PAGE)} more`,
                () => {
                    view.shown += PAGE;
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
        el("h3", {}, said(line(tool, 120)), " ", severity, " ", it.rejected && chip("rejected", "bad")),
        said(it.reason, "p"),
        findings.length > 0 && el("ul", { class: "findings" }, findings.map(finding)),
        changes.length > 0 &&
            el(
                "div",
                { class: "diff" },
                changes.slice(0, 50).map(change),
                changes.length > 50 && el("p", { class: "faint" }, `and ${changes.length - 50} more changes`),
            ),
        el(
            "div",
            { class: "actions" },
            button("Approve", () => decide(view, { tool, digest, decision: "approve" }, `${shown(tool)}: approved`), {
                class: "strong",
                "aria-label": `Approve ${shown(tool)}`,
            }),
            button("Reject", () => decide(view, { tool, digest, decision: "reject" }, `${shown(tool)}: rejected`), {
                class: "plain",
                "aria-label": `Reject ${shown(tool)}`,
            }),
            el(
                "a",
                { class: "button quiet", href: link, "aria-label": `Whole definition of ${shown(tool)}` },
                "Whole definition",
            ),
        ),
    ];
}

function finding(it) {
    return el(
        "li",
        {},
        chip(it.severity ?? it.kind, SEVERE[it.severity] ?? "warm"),
        " ",
        el("strong", {}, line(it.kind, 60)),
        " ",
        said(it.text),
    );
}

/// One place of a definition, as it was and as it is.
function change(it) {
    const side = (tag, mark, text) =>
        text !== undefined &&
        text !== null &&
        el(tag, {}, el("span", { "aria-hidden": "true" }, mark), said(typeof text === "string" ? text : pretty(text)));
    return el(
        "div",
        { class: "change" },
        el("p", { class: "path said" }, shown(it.path)),
        side("del", "− ", it.before),
        side("ins", "+ ", it.after),
    );
}
