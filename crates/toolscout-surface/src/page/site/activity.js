// What happened: searches and calls in the order of time, what they saved, and what led nowhere.

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
    discovery: "Discoveries",
    decision: "Decisions",
};
const PAGE = 50;

export function show(main, page) {
    if (page.me.role !== "operator") {
        replace(
            main,
            heading("Activity"),
            empty("Only an operator sees the activity of others", "`toolscout ui` signs you in as one."),
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
        void timeline(view);
    });
    const choose = el("div", { class: "field inline" }, el("label", { for: "kind" }, "Show"), kind);
    replace(
        main,
        heading("Activity", "Searches and calls of agents, and the tokens they saved."),
        sums,
        section("Timeline", choose, list),
    );
    // Sums are counted from the whole journal.
    const counted = seldom(() => summary(sums, page));
    const soon = gathered(500, () => Promise.all([counted(), news(view)]));
    for (const event of ["search", "call", "decision", "discovery", "missed"]) on(event, soon, page.signal);
    // What has just happened is written down a moment later.
    soon();
    return { ready: Promise.all([counted(), timeline(view)]) };
}

async function summary(node, page) {
    if (node.contains(document.activeElement)) return;
    try {
        const [stats, pins] = await Promise.all([
            get("/api/stats", page.signal),
            get("/api/stats/pins", page.signal).catch(() => undefined),
        ]);
        const nowhere = stats.nowhere ?? [];
        replace(
            node,
            tiles(stats.total ?? {}, stats),
            notes(stats),
            el(
                "div",
                { class: "columns" },
                section("Searches that led nowhere", nowhereList(nowhere)),
                section("Suggested pins", pinList(pins)),
            ),
        );
    } catch (error) {
        if (!page.signal.aborted) replace(node, failed(error));
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
            number(total.searches),
            total.searches ? `${number(total.followed)} led to a call` : "none yet",
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
        nowhere
            .slice(0, 12)
            .map((it) =>
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
            list
                .slice(0, 12)
                .map((it) =>
                    el(
                        "li",
                        {},
                        said(line(it.tool, 80), "span", { class: "tool" }),
                        el(
                            "span",
                            { class: "faint" },
                            `saves ${count(it.savesTokens, "token")} a session; ${count(it.searches, "search", "searches")} were only for it`,
                        ),
                    ),
                ),
        ),
        pins.line && el("p", { class: "faint" }, "In ", el("code", {}, line(pins.file ?? "toolscout.toml", 120)), ":"),
        pins.line && command(shown(pins.line)),
    ];
}

async function timeline(view, before) {
    const { page, list, kind } = view;
    const asked = (view.asked = (view.asked ?? 0) + 1);
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
        const rows = entries.map(entry);
        const old = before && list.querySelector("ol");
        if (old) old.append(...rows);
        else
            replace(
                list,
                el("ol", { class: "timeline" }, rows),
                odd.map((it) => el("p", { class: "hint" }, shown(it))),
            );
        list.querySelector(".older")?.remove();
        if (nextBefore)
            list.append(button("Show older", () => timeline(view, nextBefore), { class: "quiet wide older" }));
    } catch (error) {
        if (!page.signal.aborted)
            replace(
                list,
                failed(error, () => timeline(view)),
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
