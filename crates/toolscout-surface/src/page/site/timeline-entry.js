// One entry of the timeline.

import { el } from "./dom.js";
import { chip, said } from "./parts.js";
import { clock, count, line, number, pretty, took } from "./words.js";

const OUTCOMES = {
    succeeded: ["succeeded", "success"],
    toolError: ["tool error", "error"],
    inputRequired: ["input required", "warning"],
    pending: ["pending approval", "warning"],
    failed: ["failed", "error"],
    refused: ["refused", "warning"],
    cancelled: ["cancelled", "neutral"],
};

/// A line of the timeline.
export function entry(it) {
    // Browsers call themselves by everything that ever was a browser.
    const client = it.client?.startsWith("Mozilla/") ? "browser" : it.client;
    const who = [client ?? it.caller, it.user]
        .filter(Boolean)
        .map((name) => truncate(name, 40))
        .join(" · ");
    const time = el("time", { datetime: it.at, title: line(it.at, 40) }, clock(it.at));
    const describe =
        WHAT[it.kind] ??
        ((one) => [el("span", {}, line(one.kind, 40)), said(line(pretty(one), 200), "span", { class: "faint" })]);
    return el(
        "li",
        { class: "entry", "data-kind": truncate(entry.kind, 20) },
        time,
        el("div", { class: "what" }, describe(entry)),
        el("span", { class: "requester" }, requester),
        el("span", { class: "duration" }, formatDuration(entry.durationMs)),
    );
}

const WHAT = {
    search: (it) => {
        const hits = it.hits ?? [];
        return [
            el("p", {}, el("span", { class: "verb" }, "Searched "), said(line(it.query, 160), "q")),
            hits.length
                ? el(
                      "p",
                      { class: "faint" },
                      "found ",
                      hits
                          .slice(0, 4)
                          .map((hit, at) => [at > 0 && ", ", tool(hit.id), ` ${Number(hit.score).toFixed(2)}`]),
                      hits.length > 4 && ` and ${hits.length - 4} more`,
                  )
                : el("p", {}, chip("found nothing", "warm")),
        ];
    },
    call: (it) => {
        const [word, tone] = OUTCOMES[it.outcome] ?? [it.outcome, "calm"];
        const details = it.arguments && Object.keys(it.arguments).length > 0;
        return [
            el("p", {}, el("span", { class: "verb" }, "Called "), tool(it.tool), " ", chip(word, tone)),
            it.error && el("p", { class: "wrong" }, said(line(it.error, 300))),
            details && el("p", { class: "faint code said" }, line(JSON.stringify(it.arguments), 200)),
        ];
    },
    discovery: (it) => [
        el(
            "p",
            {},
            el("span", { class: "verb" }, "Refreshed "),
            said(line(it.source, 60)),
            it.error ? "" : `: ${count(it.tools, "tool")}${it.changed ? ", changed" : ""}`,
            it.error && chip("failed", "bad"),
        ),
        it.error && el("p", { class: "wrong" }, said(line(it.error, 300))),
    ],
    decision: (it) => [
        el(
            "p",
            {},
            el("span", { class: "verb" }, `${line(it.about, 20)} `),
            said(line(it.which, 120)),
            " ",
            badge(entry.decision, NEGATIVE_DECISION.test(entry.decision) ? "error" : "success"),
            ` by ${truncate(entry.by, 60)}`,
        ),
    ],
    context: (entry) => {
        const tokens = entry.allTokens
            ? `${formatNumber(entry.tokens)} of ${plural(entry.allTokens, "token")}`
            : plural(entry.tokens, "token");
        return [el("p", {}, verb("Sent "), `${truncate(entry.form, 20)}: ${plural(entry.tools, "tool")}, ${tokens}`)];
    },
    dropped: (entry) => [el("p", { class: "error" }, `${plural(entry.records, "record")} could not be stored`)],
    repaired: (entry) => [el("p", { class: "error" }, "Audit log repaired: ", externalText(entry.reason))],
};

function tool(id) {
    const [source, ...name] = String(id).split("/");
    return el(
        "a",
        { class: "tool said", href: `#/tools/${[source, name.join("/")].map(encodeURIComponent).join("/")}` },
        line(id, 100),
    );
}
