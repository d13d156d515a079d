// The activity of agents and operators: usage statistics, and a timeline.

import { get, queryString } from "./api.js";
import {
    copyableCommand,
    emptyState,
    errorMessage,
    externalText,
    loading,
    note,
    pageHeader,
    section,
    showOperatorsOnly,
    tile,
} from "./components.js";
import { adaptiveThrottle, button, debounce, el, setChildren, throttle } from "./dom.js";
import { subscribe } from "./events.js";
import { escapeInvisible, formatDuration, formatNumber, plural, relativeTime, truncate } from "./format.js";
import { savingsTile } from "./savings.js";
import { OUTCOME_LABELS, clientName, timelineEntry } from "./timeline-entry.js";

const KIND_LABELS = {
    "search,call": "Searches, calls",
    "": "Everything",
    search: "Searches",
    call: "Calls",
    discovery: "Refreshes",
    decision: "Decisions",
};
const TIMES = { "": "All time", "15m": "Last 15 minutes", "1h": "Last hour", "1d": "Last day", "7d": "Last 7 days" };
const PAGE_SIZE = 50;
const MAX_ROWS = 12;

export function show(main, context) {
    if (showOperatorsOnly(main, context, "Activity", "see activity")) return {};
    const statistics = el("div", {}, loading("Loading statistics"));
    const list = el("div", {}, loading("Loading activity"));
    const view = { context, list, filters: createFilters(), requestCount: 0 };
    const reload = debounce(200, () => {
        view.newest = undefined;
        void loadTimeline(view);
    });
    view.filters.node.addEventListener("input", reload);
    view.filters.node.addEventListener("reset", () => setTimeout(reload));
    setChildren(
        main,
        pageHeader("Activity", "Searches, calls and decisions, from the audit log of this machine."),
        statistics,
        section("Timeline", view.filters.node, list),
    );
    void fillServers(view);
    // Statistics are computed from the whole audit log.
    const updateStatistics = adaptiveThrottle(() => loadStatistics(statistics, context));
    const update = throttle(500, () => Promise.all([updateStatistics(), loadNewEntries(view)]));
    for (const event of ["search", "call", "decision", "discovery", "missed"]) subscribe(event, update, context.signal);
    // Events just before this view opened are written to the audit log a moment later.
    update();
    return { ready: Promise.all([updateStatistics(), loadTimeline(view)]) };
}

/// The filters of the timeline: a form whose values are parameters of the request.
function createFilters() {
    const select = (name, label, options) => {
        const items = Object.entries(options).map(([value, text]) => el("option", { value }, text));
        return filterField(label, el("select", { id: `filter-${name}`, name }, items));
    };
    const text = (name, label, placeholder) =>
        filterField(label, el("input", { id: `filter-${name}`, name, placeholder, autocomplete: "off", spellcheck: "false" }));
    const node = el(
        "form",
        { class: "filters", role: "search", "aria-label": "Filter the timeline" },
        select("kind", "Show", KIND_LABELS),
        select("source", "Server", { "": "All" }),
        text("tool", "Tool", "Any"),
        text("client", "Client", "Any"),
        select("outcome", "Outcome", { "": "All", ...OUTCOME_LABELS }),
        select("since", "Time", TIMES),
        el("button", { type: "reset", class: "quiet" }, "Reset"),
    );
    node.addEventListener("submit", (event) => event.preventDefault());
    return { node, values: () => Object.fromEntries(new FormData(node)) };
}

function filterField(label, input) {
    return el("div", { class: "field" }, el("label", { for: input.id }, label), input);
}

async function fillServers(view) {
    const servers = await get("/api/servers", view.context.signal).catch(() => undefined);
    const ids = ["local", ...(servers?.servers ?? []).map(({ id }) => id)];
    const select = view.filters.node.elements.source;
    select.append(...ids.map((id) => el("option", { value: id }, truncate(id, 60))));
}

async function loadStatistics(node, context) {
    if (node.contains(document.activeElement)) return;
    try {
        const [stats, pins] = await Promise.all([
            get("/api/stats", context.signal),
            get("/api/stats/pins", context.signal).catch(() => undefined),
        ]);
        setChildren(
            node,
            tiles(stats),
            (stats.notes ?? []).map(note),
            section("Sessions", sessionTable(stats.clients)),
            el(
                "div",
                { class: "columns" },
                section("Searches without a call", unansweredQueries(stats.unansweredQueries)),
                section("Suggested pins", suggestedPins(pins)),
            ),
        );
    } catch (error) {
        if (!context.signal.aborted) setChildren(node, errorMessage(error));
    }
}

function tiles({ total, since, savings }) {
    const failed = `${formatNumber(total.failures)} failed, ${formatNumber(total.refused)} refused`;
    const hasFailures = total.failures + total.refused > 0;
    return el(
        "dl",
        { class: "tiles" },
        savingsTile(savings),
        tile(
            "Searches",
            formatNumber(total.searches),
            total.searches ? `${formatNumber(total.followed)} followed by a call` : "None yet",
        ),
        tile("Calls", formatNumber(total.calls), hasFailures ? failed : total.calls ? "None failed" : "None yet"),
        tile(
            "Time to first call",
            total.firstUseMs === undefined ? "–" : formatDuration(total.firstUseMs),
            "From the first search to the first successful call (median)",
        ),
        tile("Sessions", formatNumber(total.sessions), since ? `First one ${relativeTime(since)}` : "None yet"),
    );
}

/// The newest sessions with what each of them cost and saved.
function sessionTable(clients) {
    const sessions = clients.flatMap(({ client, recentSessions }) => recentSessions.map((session) => ({ client, ...session })));
    const newest = sessions.sort((one, other) => other.ended.localeCompare(one.ended)).slice(0, MAX_ROWS);
    if (newest.length === 0) return emptyState("None yet", "Each session of a client appears here, with the tokens it used and saved.");
    const head = ["Client", "Ended", "Searches", "Calls", "Tokens used", "All definitions", "Saved"];
    const row = (session) => {
        const { client, ended, searches, calls, listTokens, searchTokens, allTokens, savedTokens } = session;
        const isMeasured = allTokens > 0;
        const cells = [
            relativeTime(ended),
            formatNumber(searches),
            formatNumber(calls),
            formatNumber(listTokens + searchTokens),
            isMeasured ? formatNumber(allTokens) : "–",
            isMeasured ? formatNumber(savedTokens) : "not measured",
        ];
        return el("tr", {}, el("th", { scope: "row", class: "external" }, clientName(client)), cells.map((cell) => el("td", {}, cell)));
    };
    const table = el(
        "table",
        {},
        el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, newest.map(row)),
    );
    const isNegative = newest.some(({ allTokens, savedTokens }) => allTokens > 0 && savedTokens < 0);
    return [
        el("div", { class: "scroll card", tabindex: "0", role: "group", "aria-label": "Sessions" }, table),
        isNegative &&
            el(
                "p",
                { class: "faint note" },
                "Below zero, the search results of a session took more tokens than the definitions of all tools would have. That is common with few tools.",
            ),
    ];
}

function unansweredQueries(queries) {
    if (queries.length === 0) return emptyState("None", "Searches that are not followed by a call appear here.");
    const facts = ({ count, empty, lastSearched }) =>
        [count > 1 && `${formatNumber(count)} times`, empty ? "no results" : "no call", relativeTime(lastSearched)]
            .filter(Boolean)
            .join(", ");
    return el(
        "ul",
        { class: "short" },
        queries
            .slice(0, MAX_ROWS)
            .map((row) =>
                el(
                    "li",
                    {},
                    externalText(truncate(row.query, 120), "span", { class: "query" }),
                    el("span", { class: "faint" }, facts(row)),
                ),
            ),
    );
}

function suggestedPins(suggestions) {
    const pins = suggestions?.pins ?? [];
    if (pins.length === 0)
        return emptyState("None", "A tool appears here if listing it would take fewer tokens than searching for it.");
    const facts = ({ savedTokens, searches }) =>
        `saves ${plural(savedTokens, "token")} per session (${plural(searches, "search", "searches")} for this tool alone)`;
    return [
        el(
            "ul",
            { class: "short" },
            pins
                .slice(0, MAX_ROWS)
                .map((pin) =>
                    el(
                        "li",
                        {},
                        externalText(truncate(pin.tool, 80), "span", { class: "tool" }),
                        el("span", { class: "faint" }, facts(pin)),
                    ),
                ),
        ),
        suggestions.line &&
            el(
                "p",
                { class: "faint" },
                "Add to ",
                el("code", {}, truncate(suggestions.file ?? "toolscout.toml", 120)),
                ":",
            ),
        suggestions.line && copyableCommand(escapeInvisible(suggestions.line)),
    ];
}

/// Shows the newest entries; with `before`, appends the page before that entry.
async function loadTimeline(view, before) {
    const { context, list, filters } = view;
    const request = (view.requestCount += 1);
    try {
        const parameters = queryString({ limit: PAGE_SIZE, before, ...filters.values() });
        const { entries, nextBefore, notes = [] } = await get(`/api/timeline${parameters}`, context.signal);
        if (request !== view.requestCount) return;
        if (entries.length === 0 && !before) {
            const isFiltered = Object.entries(filters.values()).some(([name, value]) => value && name !== "kind");
            setChildren(list, isFiltered ? emptyState("No matches", "No record passes these filters.") : noActivity());
            return;
        }
        if (!before) view.newest = entries[0]?.n;
        const items = entries.map(timelineEntry);
        const existing = before && list.querySelector("ol");
        if (existing) existing.append(...items);
        else setChildren(list, el("ol", { class: "timeline" }, items), notes.map(note));
        list.querySelector(".older")?.remove();
        if (nextBefore)
            list.append(button("Show older", () => loadTimeline(view, nextBefore), { class: "quiet wide older" }));
    } catch (error) {
        if (!context.signal.aborted)
            setChildren(
                list,
                errorMessage(error, () => loadTimeline(view)),
            );
    }
}

function noActivity() {
    return emptyState(
        "No activity yet",
        "Searches and calls of agents appear here. Connect an agent under Clients, or run `toolscout connect CLIENT`.",
    );
}

/// Prepends new entries and leaves the others unchanged.
async function loadNewEntries(view) {
    const existing = view.list.querySelector("ol");
    if (!existing || view.newest === undefined) return loadTimeline(view);
    const { requestCount } = view;
    const parameters = queryString({ limit: PAGE_SIZE, ...view.filters.values() });
    const page = await get(`/api/timeline${parameters}`, view.context.signal).catch(() => undefined);
    const newEntries = (page?.entries ?? []).filter((entry) => entry.n > view.newest);
    if (requestCount !== view.requestCount) return undefined;
    if (newEntries.length === PAGE_SIZE) return loadTimeline(view);
    existing.prepend(...newEntries.map(timelineEntry));
    view.newest = newEntries[0]?.n ?? view.newest;
    return undefined;
}
