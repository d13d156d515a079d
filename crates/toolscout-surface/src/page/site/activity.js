// The activity of agents and operators: usage statistics, and a timeline.

import { get, query } from "./api.js";
import { button, el, gathered, replace, seldom } from "./dom.js";
import { entry } from "./entry.js";
import { on } from "./events.js";
import { command, empty, failed, heading, said, section, waiting } from "./parts.js";
import { ago, count, line, number, shown, took } from "./words.js";

const KINDS = {
    "": "Everything",
    "search,call": "Searches and calls",
    search: "Searches",
    call: "Calls",
    discovery: "Refreshes",
    decision: "Decisions",
};
const PAGE = 50;

export function show(main, context) {
    if (context.me.role !== "operator") {
        setChildren(
            main,
            pageHeader("Activity"),
            emptyState("Only operators can see activity", "Run `toolscout ui` to sign in as operator."),
        );
        return {};
    }
    const sums = el("div", {}, waiting("Counting"));
    const list = el("div", {}, waiting("Looking back"));
    const kind = el(
        "select",
        { id: "kind" },
        Object.entries(KINDS).map(([value, label]) => el("option", { value }, label)),
    );
    kind.value = "search,call";
    const view = { page, list, kind };
    kind.addEventListener("change", () => {
        view.newest = undefined;
        void loadTimeline(view);
    });
    const choose = el("div", { class: "field inline" }, el("label", { for: "kind" }, "Show"), kind);
    replace(
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

async function summary(node, page) {
    if (node.contains(document.activeElement)) return;
    try {
        const [stats, pins] = await Promise.all([
            get("/api/stats", context.signal),
            get("/api/stats/pins", context.signal).catch(() => undefined),
        ]);
        const nowhere = stats.nowhere ?? [];
        replace(
            node,
            tiles(stats.total ?? {}, stats),
            notes(stats),
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

function tiles(total, stats) {
    const share = total.allTokens > 0 ? Math.round((total.avoidedTokens / total.allTokens) * 100) : undefined;
    const saved =
        total.allTokens > 0
            ? `${share} % of ${number(total.allTokens)} that all definitions would take`
            : "counted when an agent lists tools";
    const wrong = (total.failures ?? 0) + (total.refused ?? 0);
    return el(
        "dl",
        { class: "tiles" },
        tile("Tokens saved", number(total.avoidedTokens), saved),
        tile(
            "Searches",
            formatNumber(total.searches),
            total.searches ? `${formatNumber(total.followed)} followed by a call` : "None yet",
        ),
        tile(
            "Calls",
            number(total.calls),
            wrong ? `${number(total.failures)} failed, ${number(total.refused)} refused` : "none failed",
        ),
        tile(
            "First use",
            total.firstUseMs === undefined ? "–" : took(total.firstUseMs),
            "from a search to a call that worked",
        ),
        tile("Sessions", number(total.sessions), stats.since ? `since ${ago(stats.since)}` : "none yet"),
    );
}

function tile(name, value, about) {
    return el(
        "div",
        { class: "tile" },
        el("dt", {}, name),
        el("dd", { class: "value" }, value),
        el("dd", { class: "faint" }, about),
    );
}

function notes(stats) {
    return (stats.notes ?? []).map((it) => el("p", { class: "hint" }, shown(it)));
}

function nowhereList(nowhere) {
    if (nowhere.length === 0) return empty("None", "Searches after which no tool was called.");
    return el(
        "ul",
        { class: "short" },
        queries
            .slice(0, MAX_ROWS)
            .map((row) =>
                el(
                    "li",
                    {},
                    said(line(it.query, 120), "span", { class: "query" }),
                    el(
                        "span",
                        { class: "faint" },
                        `${it.times > 1 ? `${number(it.times)} times, ` : ""}${it.empty ? "found nothing" : "nothing was called"}, ${ago(it.last)}`,
                    ),
                ),
            ),
    );
}

function pinList(pins) {
    const list = pins?.pins ?? [];
    if (list.length === 0)
        return empty("None", "Tools that would cost fewer tokens in the list than in repeated searches.");
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
        const {
            entries,
            nextBefore,
            notes: odd = [],
        } = await get(`/api/timeline${query({ limit: PAGE, before, kind: kind.value })}`, page.signal);
        if (asked !== view.asked) return;
        if (entries.length === 0 && !before) {
            replace(
                list,
                empty(
                    "Nothing yet",
                    "Searches and calls of agents appear here as they happen. Run `toolscout connect` to give an agent this project's tools.",
                ),
            );
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

/// Puts what is new on top, and leaves the rest as it is.
async function news(view) {
    const old = view.list.querySelector("ol");
    if (!old || view.newest === undefined) return timeline(view);
    const { asked } = view;
    const answer = await get(`/api/timeline${query({ limit: PAGE, kind: view.kind.value })}`, view.page.signal).catch(
        () => undefined,
    );
    const fresh = (answer?.entries ?? []).filter((it) => it.n > view.newest);
    if (asked !== view.asked) return undefined;
    if (fresh.length === PAGE) return timeline(view);
    old.prepend(...fresh.map(entry));
    view.newest = fresh[0]?.n ?? view.newest;
    return undefined;
}
