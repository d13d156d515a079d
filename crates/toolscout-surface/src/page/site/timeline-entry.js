// One entry of the timeline.

import { badge, externalText } from "./components.js";
import { el } from "./dom.js";
import { formatDuration, formatNumber, formatTime, plural, prettyJson, toolHref, truncate } from "./format.js";

const OUTCOMES = {
    succeeded: ["succeeded", "success"],
    toolError: ["tool error", "error"],
    inputRequired: ["input required", "warning"],
    pending: ["pending approval", "warning"],
    failed: ["failed", "error"],
    refused: ["refused", "warning"],
    cancelled: ["cancelled", "neutral"],
    interrupted: ["interrupted", "error"],
};
/// The label of each outcome, for filters.
export const OUTCOME_LABELS = Object.fromEntries(Object.entries(OUTCOMES).map(([outcome, [label]]) => [outcome, label]));
/// Decisions that take something away.
const NEGATIVE_DECISION = /den|reject|remov|disab/;
const MAX_HITS = 4;

/// The name of a client. The user agents of browsers are long and name many products.
export function clientName(client) {
    return client?.startsWith("Mozilla/") ? "browser" : client && truncate(client, 60);
}

export function timelineEntry(entry) {
    const requester = [clientName(entry.client) ?? entry.caller, entry.user]
        .filter(Boolean)
        .map((name) => truncate(name, 40))
        .join(" · ");
    const time = el("time", { datetime: entry.at, title: truncate(entry.at, 40) }, formatTime(entry.at));
    const describe = DESCRIPTIONS[entry.kind] ?? unknownEntry;
    return el(
        "li",
        { class: "entry", "data-kind": truncate(entry.kind, 20) },
        time,
        el("div", { class: "what" }, describe(entry)),
        el("span", { class: "requester" }, requester),
        el("span", { class: "duration" }, formatDuration(entry.durationMs)),
    );
}

const DESCRIPTIONS = {
    search: (entry) => [
        el("p", {}, verb("Searched "), externalText(truncate(entry.query, 160), "q")),
        entry.hits.length
            ? el("p", { class: "faint" }, hitList(entry.hits))
            : el("p", {}, badge("no results", "warning")),
    ],
    call: (entry) => {
        const outcome = entry.errorKind === "refused" ? "refused" : entry.outcome;
        const [label, tone] = OUTCOMES[outcome] ?? [outcome, "neutral"];
        const hasArguments = entry.arguments && Object.keys(entry.arguments).length > 0;
        return [
            el("p", {}, verb("Called "), toolLink(entry.tool), " ", badge(label, tone)),
            errorText(entry),
            hasArguments && el("p", { class: "faint code external" }, truncate(JSON.stringify(entry.arguments), 200)),
        ];
    },
    discovery: (entry) => [
        el(
            "p",
            {},
            verb("Refreshed "),
            externalText(truncate(entry.source, 60)),
            entry.error ? " " : `: ${plural(entry.tools, "tool")}${entry.changed ? ", changed" : ""}`,
            entry.error && badge("failed", "error"),
        ),
        errorText(entry),
    ],
    decision: (entry) => [
        el(
            "p",
            {},
            verb(`${truncate(entry.subjectType, 20)} `),
            externalText(truncate(entry.subject, 120)),
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

/// An entry of a kind that this version of the UI does not know.
function unknownEntry(entry) {
    return [
        el("span", {}, truncate(entry.kind, 40)),
        externalText(truncate(prettyJson(entry), 200), "span", { class: "faint" }),
    ];
}

function verb(text) {
    return el("span", { class: "verb" }, text);
}

function errorText({ error }) {
    return error && el("p", { class: "error" }, externalText(truncate(error, 300)));
}

function hitList(hits) {
    const shown = hits.slice(0, MAX_HITS);
    const nodes = shown.map((hit, index) => [index > 0 && ", ", toolLink(hit.id), ` ${Number(hit.score).toFixed(2)}`]);
    return ["found ", nodes, hits.length > MAX_HITS && ` and ${hits.length - MAX_HITS} more`];
}

function toolLink(id) {
    return el("a", { class: "tool external", href: toolHref(id) }, truncate(id, 100));
}
