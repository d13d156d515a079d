// The list of tools, grouped by source, and the search.

import { get, queryString } from "./api.js";
import {
    badge,
    emptyState,
    errorMessage,
    externalText,
    loading,
    pageHeader,
    policyBadge,
    withCode,
} from "./components.js";
import { announce, append, button, debounce, el, setChildren, throttle } from "./dom.js";
import { subscribe } from "./events.js";
import { decodeUrlPart, escapeInvisible, formatNumber, plural, toolHref, truncate } from "./format.js";

const PAGE_SIZE = 100;
const MAX_RESULTS = 20;

export function show(main, context) {
    const list = el("div", { class: "found", id: "found" }, loading("Loading tools"));
    const detail = el("div", { class: "detail", id: "detail" });
    const input = el("input", {
        type: "search",
        id: "search",
        autocomplete: "off",
        spellcheck: "false",
        placeholder: "Search tools: “send an email”",
        "aria-controls": "found",
    });
    const form = el(
        "form",
        { role: "search", class: "search" },
        el("label", { for: "search", class: "visually-hidden" }, "Search tools"),
        input,
        el("kbd", { "aria-hidden": "true" }, "/"),
    );
    form.addEventListener("submit", (event) => event.preventDefault());
    const split = el("div", { class: "split" }, el("div", { class: "list" }, form, list), detail);
    setChildren(main, pageHeader("Tools"), split);

    const view = { context, list, detail, input, split, requestCount: 0 };
    input.addEventListener(
        "input",
        debounce(60, () => search(view)),
    );
    list.addEventListener("click", (event) => event.target.closest(".hits .pick") && recordSearch(view));
    list.addEventListener("keydown", (event) => moveFocus(event, list));
    input.addEventListener(
        "keydown",
        (event) => event.key === "ArrowDown" && list.querySelector(".pick, summary")?.focus(),
    );
    document.addEventListener("keydown", (event) => focusSearch(event, input), { signal: context.signal });
    // A list that has the focus is not replaced.
    const reload = () => input.value.trim() || list.contains(document.activeElement) || showGroups(view);
    subscribe("changed", throttle(400, reload), context.signal);
    const ready = showGroups(view, sourceInUrl());
    void navigate(view, context.segments);
    return { ready, navigate: (segments) => navigate(view, segments) };
}

/// The source to open: `#/tools?files`.
function sourceInUrl() {
    const index = location.hash.indexOf("?");
    return index < 0 ? undefined : decodeUrlPart(location.hash.slice(index + 1));
}

async function navigate(view, segments) {
    const [source, ...name] = segments;
    view.split.toggleAttribute("data-open", Boolean(source));
    view.list.querySelectorAll("[aria-current]").forEach((node) => node.removeAttribute("aria-current"));
    view.toolController?.abort();
    if (!source)
        return setChildren(
            view.detail,
            el("p", { class: "faint pad" }, "Select a tool to see its parameters and try it."),
        );
    view.toolController = new AbortController();
    const module = await import("./tool.js");
    markCurrent(view, `${source}/${name.join("/")}`);
    return module.show(view.detail, source, name.join("/"), {
        me: view.context.me,
        signal: AbortSignal.any([view.toolController.signal, view.context.signal]),
    });
}

function markCurrent(view, id) {
    for (const node of view.list.querySelectorAll(".pick"))
        if (node.dataset.tool === id) node.setAttribute("aria-current", "true");
}

function focusSearch(event, input) {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
}

/// Moves the focus with the arrow keys.
function moveFocus(event, list) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const targets = [...list.querySelectorAll(".pick, summary")].filter((node) => node.checkVisibility());
    const next = targets[targets.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
}

async function showGroups(view, openSource) {
    const request = (view.requestCount += 1);
    try {
        const [{ servers }, firstPage] = await Promise.all([
            get("/api/servers", view.context.signal),
            get(`/api/tools${queryString({ all: true, limit: 1 })}`, view.context.signal),
        ]);
        if (request !== view.requestCount) return;
        const sources = sourcesOf(servers, firstPage);
        if (sources.length === 0 || firstPage.total === 0) return void setChildren(view.list, noTools());
        const isOpen = ({ dataset }) =>
            openSources.has(dataset.source) || dataset.source === openSource || sources.length === 1;
        const openGroups = [...view.list.querySelectorAll("details[open]")];
        const openSources = new Set(openGroups.map((node) => node.dataset.source));
        const groups = sources.map((source) => groupNode(view, source));
        const total = `${plural(firstPage.total, "tool")} from ${plural(sources.length, "source")}`;
        setChildren(view.list, el("p", { class: "faint total" }, total), groups);
        groups.forEach((group) => (group.open = isOpen(group)));
    } catch (error) {
        if (!view.context.signal.aborted)
            setChildren(
                view.list,
                errorMessage(error, () => showGroups(view)),
            );
    }
}

/// All sources with their number of tools, and their server if they are one.
function sourcesOf(servers, firstPage) {
    const serversById = new Map(servers.map((server) => [server.id, server]));
    const counts = firstPage.sources ?? servers.map((server) => ({ id: server.id, tools: server.toolCount }));
    return counts.map(({ id, tools }) => ({ id, tools, server: serversById.get(id) }));
}

function noTools() {
    return emptyState(
        "No tools",
        "Add a script with a comment header to `tools/`, or add a server under Servers.",
        "If tools are missing, run `toolscout doctor`.",
    );
}

function groupNode(view, source) {
    const rows = el("ul", { class: "picks" });
    const state =
        source.server?.state === "failed"
            ? badge("failed", "error")
            : source.server?.enabled === false
              ? badge("disabled")
              : undefined;
    const node = el(
        "details",
        { class: "group", "data-source": source.id },
        el(
            "summary",
            {},
            externalText(truncate(source.id, 60), "span", { class: "source" }),
            el("span", { class: "count" }, formatNumber(source.tools)),
            state,
        ),
        rows,
    );
    let isFilled = false;
    node.addEventListener("toggle", () => {
        if (node.open && !isFilled) {
            isFilled = true;
            void loadPage(view, source.id, rows);
        }
    });
    return node;
}

/// Appends the next page of tools to a group.
async function loadPage(view, source, rows, cursor) {
    const placeholder = rows.appendChild(el("li", {}, loading("Loading tools")));
    try {
        const parameters = queryString({ server: source, all: true, limit: PAGE_SIZE, cursor });
        const page = await get(`/api/tools${parameters}`, view.context.signal);
        const items = page.tools.map((tool) => el("li", {}, toolLink(tool)));
        placeholder.replaceWith(...items);
        if (page.tools.length === 0 && !cursor) {
            const text = "No tools. If they are not loaded yet, refresh the server under Servers.";
            append(rows, el("li", {}, el("p", { class: "faint pad" }, text)));
        }
        if (page.nextCursor) rows.append(nextPageItem(view, source, rows, page.nextCursor, items));
        markCurrent(view, toolInUrl());
    } catch (error) {
        placeholder.replaceWith(el("li", {}, errorMessage(error)));
    }
}

function nextPageItem(view, source, rows, cursor, items) {
    const showMore = async () => {
        item.remove();
        await loadPage(view, source, rows, cursor);
        items.at(-1)?.parentNode?.children[items.length]?.querySelector?.(".pick")?.focus();
    };
    const item = el("li", {}, button("Show more", showMore, { class: "quiet wide" }));
    return item;
}

/// The tool in the URL: `#/tools/source/name`.
function toolInUrl() {
    return location.hash.split("?")[0].split("/").slice(2).map(decodeUrlPart).join("/");
}

/// A link to a tool, with its badges and description.
function toolLink(tool, ...extras) {
    const badges = [];
    if (tool.status && tool.status !== "ready")
        badges.push(badge(tool.status, tool.status === "quarantined" ? "warning" : "neutral"));
    if (tool.policy && tool.policy !== "allow") badges.push(policyBadge(tool.policy));
    const id = `${tool.source}/${tool.name}`;
    return el(
        "a",
        { class: "pick", href: toolHref(id), "data-tool": id },
        el(
            "span",
            { class: "top" },
            externalText(truncate(tool.name, 80), "span", { class: "tool" }),
            badges,
            ...extras,
        ),
        el("span", { class: "about external", dir: "auto" }, truncate(tool.description || "", 160)),
    );
}

async function search(view) {
    const text = view.input.value.trim();
    if (!text) return showGroups(view);
    const request = (view.requestCount += 1);
    try {
        const parameters = queryString({ q: text, limit: MAX_RESULTS, typing: true });
        const { results, notes } = await get(`/api/search${parameters}`, view.context.signal);
        if (request !== view.requestCount) return undefined;
        const bestScore = Math.max(...results.map((result) => result.score), 0.001);
        const noteNodes = notes.map((note) => el("p", { class: "hint" }, withCode(escapeInvisible(note))));
        announce(results.length ? `${plural(results.length, "tool")} found` : "No tools found");
        if (results.length === 0)
            return setChildren(
                view.list,
                emptyState("No matches", "Try other words, or the name of a tool."),
                noteNodes,
            );
        setChildren(
            view.list,
            el(
                "ol",
                { class: "picks hits" },
                results.map((result) => el("li", {}, resultLink(result, bestScore))),
            ),
            noteNodes,
        );
        markCurrent(view, toolInUrl());
    } catch (error) {
        if (!view.context.signal.aborted && request === view.requestCount)
            setChildren(
                view.list,
                errorMessage(error, () => search(view)),
            );
    }
    return undefined;
}

/// Repeats the search without `typing`, so that it is recorded: the user has opened one of its results.
function recordSearch(view) {
    const text = view.input.value.trim();
    if (text === view.recordedQuery) return;
    view.recordedQuery = text;
    get(`/api/search${queryString({ q: text, limit: MAX_RESULTS })}`).catch(() => undefined);
}

function resultLink(result, bestScore) {
    const score = el(
        "span",
        { class: "score" },
        el("span", { class: "bar", "aria-hidden": "true" }),
        el("span", {}, result.score.toFixed(2)),
    );
    score.firstChild.style.setProperty("--share", `${Math.round((result.score / bestScore) * 100)}%`);
    const node = toolLink(result, externalText(truncate(result.source, 40), "span", { class: "from" }), score);
    if (result.why.length)
        node.append(el("span", { class: "why external" }, "because: ", withCode(escapeInvisible(result.why.join(", ")))));
    return node;
}
