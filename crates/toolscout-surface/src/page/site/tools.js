// The tools: grouped by where they come from, or those that fit a question, each with its reasons.

import { get, query } from "./api.js";
import { announce, button, el, gathered, put, replace, settled } from "./dom.js";
import { on } from "./events.js";
import { chip, empty, failed, heading, said, ticked, waiting } from "./parts.js";
import { count, line, number, shown } from "./words.js";

const PAGE = 100;
const HITS = 20;

export function show(main, page) {
    const list = el("div", { class: "found", id: "found" }, waiting("Loading tools"));
    const detail = el("div", { class: "detail", id: "detail" });
    const box = el("input", {
        type: "search",
        id: "search",
        autocomplete: "off",
        spellcheck: "false",
        placeholder: "What do you want to do? “send an email”",
        "aria-controls": "found",
    });
    const form = el(
        "form",
        { role: "search", class: "search" },
        el("label", { for: "search", class: "unseen" }, "Search the tools"),
        box,
        el("kbd", { "aria-hidden": "true" }, "/"),
    );
    form.addEventListener("submit", (event) => event.preventDefault());
    const split = el("div", { class: "split" }, el("div", { class: "list" }, form, list), detail);
    replace(main, heading("Tools"), split);

    const view = { page, list, detail, box, split, asked: 0, opened: new Map() };
    box.addEventListener(
        "input",
        settled(60, () => search(view)),
    );
    list.addEventListener("click", (event) => event.target.closest(".hits .pick") && asked(view));
    list.addEventListener("keydown", (event) => walk(event, list));
    box.addEventListener(
        "keydown",
        (event) => event.key === "ArrowDown" && list.querySelector(".pick, summary")?.focus(),
    );
    document.addEventListener("keydown", (event) => focusSearch(event, box), { signal: page.signal });
    // Who is in the list keeps their place in it.
    const renew = () => box.value.trim() || list.contains(document.activeElement) || groups(view);
    on("changed", gathered(400, renew), page.signal);
    const ready = groups(view, onlySource());
    void go(view, page.rest);
    return { ready, go: (rest) => go(view, rest) };
}

/// `#/tools?files` opens that group.
function onlySource() {
    const at = location.hash.indexOf("?");
    return at < 0 ? undefined : decodeURIComponent(location.hash.slice(at + 1));
}

async function go(view, rest) {
    const [source, ...name] = rest;
    view.split.toggleAttribute("data-open", Boolean(source));
    view.list.querySelectorAll("[aria-current]").forEach((it) => it.removeAttribute("aria-current"));
    view.tool?.abort();
    if (!source)
        return replace(
            view.detail,
            el("p", { class: "faint pad" }, "Choose a tool to see its parameters and try it."),
        );
    view.tool = new AbortController();
    const module = await import("./tool.js");
    mark(view, `${source}/${name.join("/")}`);
    return module.show(view.detail, source, name.join("/"), {
        me: view.page.me,
        signal: AbortSignal.any([view.tool.signal, view.page.signal]),
    });
}

function mark(view, id) {
    for (const it of view.list.querySelectorAll(".pick"))
        if (it.dataset.tool === id) it.setAttribute("aria-current", "true");
}

function focusSearch(event, box) {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
}

/// Up and down go from tool to tool.
function walk(event, list) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const stops = [...list.querySelectorAll(".pick, summary")].filter((it) => it.checkVisibility());
    const next = stops[stops.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
}

async function groups(view, open) {
    const asked = (view.asked += 1);
    try {
        const [{ servers }, first] = await Promise.all([
            get("/api/servers", view.page.signal),
            get(`/api/tools${query({ all: true, limit: 1 })}`, view.page.signal),
        ]);
        if (asked !== view.asked) return;
        const all = await sources(servers, first);
        if (all.length === 0 || first.total === 0) return void replace(view.list, none());
        const wasOpen = new Set([...view.list.querySelectorAll("details[open]")].map((it) => it.dataset.source));
        const made = all.map((it) => group(view, it));
        replace(
            view.list,
            el("p", { class: "faint sum" }, `${count(first.total, "tool")} from ${count(all.length, "source")}`),
            made,
        );
        made.forEach(
            (it) => (it.open = wasOpen.has(it.dataset.source) || it.dataset.source === open || all.length === 1),
        );
    } catch (error) {
        if (!view.page.signal.aborted)
            replace(
                view.list,
                failed(error, () => groups(view)),
            );
    }
}

/// Everything tools come from, with how many: the answer says so, or the servers do.
async function sources(servers, first) {
    const states = new Map(servers.map((it) => [it.id, it]));
    const counted = first.sources ?? servers.map((it) => ({ id: it.id, tools: it.toolCount }));
    return counted.map((it) => ({ id: it.id, tools: it.tools ?? it.total ?? it.count, server: states.get(it.id) }));
}

function none() {
    return empty(
        "No tools yet",
        "Drop a script with a comment header into `tools/`, or add a server under Servers.",
        "`toolscout doctor` shows what is broken and how to fix it.",
    );
}

function group(view, source) {
    const rows = el("ul", { class: "picks" });
    const state =
        source.server?.state === "failed"
            ? chip("failed", "bad")
            : source.server?.enabled === false
              ? chip("off")
              : undefined;
    const node = el(
        "details",
        { class: "group", "data-source": source.id },
        el(
            "summary",
            {},
            said(line(source.id, 60), "span", { class: "source" }),
            el("span", { class: "count" }, number(source.tools)),
            state,
        ),
        rows,
    );
    let isFilled = false;
    node.addEventListener("toggle", () => {
        if (node.open && !isFilled) {
            isFilled = true;
            void more(view, source.id, rows);
        }
    });
    return node;
}

/// The next rows of a group; a thousand are never asked for at once.
async function more(view, source, rows, cursor) {
    const last = rows.appendChild(el("li", {}, waiting("Loading")));
    try {
        const answer = await get(`/api/tools${query({ server: source, all: true, limit: PAGE, cursor })}`, view.page.signal);
        const made = answer.tools.map((it) => el("li", {}, pick(it)));
        last.replaceWith(...made);
        if (answer.tools.length === 0 && !cursor)
            put(
                rows,
                el(
                    "li",
                    {},
                    el("p", { class: "faint pad" }, "No tools, or not loaded yet: refresh it under Servers."),
                ),
            );
        if (answer.nextCursor) {
            const next = el(
                "li",
                {},
                button(
                    "Show more",
                    async () => {
                        next.remove();
                        await more(view, source, rows, answer.nextCursor);
                        made.at(-1)?.parentNode?.children[made.length]?.querySelector?.(".pick")?.focus();
                    },
                    { class: "quiet wide" },
                ),
            );
            rows.append(next);
        }
        mark(view, place());
    } catch (error) {
        last.replaceWith(el("li", {}, failed(error)));
    }
}

function place() {
    return location.hash.split("?")[0].split("/").slice(2).map(decodeURIComponent).join("/");
}

/// One tool, to be chosen.
function pick(tool, ...more) {
    const chips = [];
    if (tool.status && tool.status !== "ready") chips.push(chip(tool.status, tool.status === "held" ? "warm" : "calm"));
    if (tool.policy && tool.policy !== "allow") chips.push(chip(tool.policy, tool.policy === "ask" ? "warm" : "bad"));
    const href = `#/tools/${[tool.source, tool.name].map(encodeURIComponent).join("/")}`;
    return el(
        "a",
        { class: "pick", href, "data-tool": `${tool.source}/${tool.name}` },
        el("span", { class: "top" }, said(line(tool.name, 80), "span", { class: "tool" }), chips, ...more),
        el("span", { class: "about said", dir: "auto" }, line(tool.description || "", 160)),
    );
}

async function search(view) {
    const text = view.box.value.trim();
    if (!text) return groups(view);
    const asked = (view.asked += 1);
    try {
        const answer = await get(`/api/search${query({ q: text, limit: HITS, typing: true })}`, view.page.signal);
        if (asked !== view.asked) return undefined;
        const hits = answer.results ?? [];
        const best = Math.max(...hits.map((it) => it.score), 0.001);
        const notes = (answer.notes ?? []).map((it) => el("p", { class: "hint" }, ticked(shown(it.text ?? it))));
        announce(hits.length ? `${count(hits.length, "tool")} found` : "Nothing found");
        if (hits.length === 0)
            return replace(
                view.list,
                empty("No matches", "Try other words, or the name of a tool."),
                notes,
            );
        replace(
            view.list,
            el(
                "ol",
                { class: "picks hits" },
                hits.map((it) => el("li", {}, hit(it, best))),
            ),
            notes,
        );
        mark(view, place());
    } catch (error) {
        if (!view.page.signal.aborted && asked === view.asked)
            replace(
                view.list,
                failed(error, () => search(view)),
            );
    }
    return undefined;
}

/// What was typed is a question once something found by it was chosen: then it counts, and is learned from.
function asked(view) {
    const text = view.box.value.trim();
    if (text === view.settled) return;
    view.settled = text;
    get(`/api/search${query({ q: text, limit: HITS })}`).catch(() => undefined);
}

function hit(found, best) {
    const score = el(
        "span",
        { class: "score" },
        el("span", { class: "bar", "aria-hidden": "true" }),
        el("span", {}, found.score.toFixed(2)),
    );
    score.firstChild.style.setProperty("--share", `${Math.round((found.score / best) * 100)}%`);
    const node = pick(found, said(line(found.source, 40), "span", { class: "from" }), score);
    const why = Array.isArray(found.why) ? found.why.map((it) => it.text ?? it).join(", ") : found.why;
    if (why) node.append(el("span", { class: "why said" }, `because: ${shown(why)}`));
    return node;
}
