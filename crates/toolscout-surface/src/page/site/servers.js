// The servers: how each is, since when and why; live while they are asked for their tools.

import { get } from "./api.js";
import { announce, button, el, gathered, replace } from "./dom.js";
import { on } from "./events.js";
import { empty, failed, heading, waiting } from "./parts.js";
import { Row } from "./server.js";
import { count, shown } from "./words.js";

export function show(main, page) {
    const isOperator = page.me.role === "operator";
    const about = el("p", { class: "about" });
    const list = el("div", {}, waiting("Loading servers"));
    const add = isOperator && button("Add a server", () => openForm(load), { class: "strong", id: "add-server" });
    const head = heading("Servers", undefined, add);
    head.firstChild.append(about);
    replace(main, head, list);

    const rows = new Map();
    const load = () => fill({ about, list, rows, page, isOperator, load });
    const soon = gathered(150, load);
    on("changed", soon, page.signal);
    on("missed", soon, page.signal);
    on("discovery", (event) => discovered(event, rows, soon), page.signal);
    // Ages are of now.
    const timer = setInterval(() => rows.forEach((it) => it.age()), 10000);
    page.signal.addEventListener("abort", () => clearInterval(timer));
    return { ready: load() };
}

async function openForm(load) {
    const module = await import("./add.js");
    module.open(load);
}

async function fill(view) {
    const { about, list, rows, page, isOperator, load } = view;
    try {
        const { servers } = await get("/api/servers", page.signal);
        page.saw(servers);
        about.textContent = summary(servers);
        if (servers.length === 0) return replace(list, none(isOperator));
        const known = new Set(servers.map((it) => it.id));
        for (const id of rows.keys()) if (!known.has(id)) rows.delete(id);
        for (const server of servers) {
            if (rows.has(server.id)) rows.get(server.id).update(server);
            else rows.set(server.id, new Row(server, { isOperator, load, signal: page.signal }));
        }
        const ordered = servers.map((it) => rows.get(it.id).node);
        const shownNow = list.firstChild?.tagName === "UL" ? [...list.firstChild.children] : [];
        const isSame = ordered.length === shownNow.length && ordered.every((it, at) => it === shownNow[at]);
        // Moving what is there already would take the focus away from whoever is in it.
        if (!isSame) replace(list, el("ul", { class: "rows" }, ordered));
    } catch (error) {
        if (!page.signal.aborted) replace(list, failed(error, load));
    }
    return undefined;
}

function summary(servers) {
    const tools = servers.reduce((sum, it) => sum + (it.toolCount ?? 0), 0);
    const failing = servers.filter((it) => it.state === "failed" || it.discoveryError).length;
    const held = servers.reduce((sum, it) => sum + (it.heldCount ?? 0), 0);
    const parts = [count(servers.length, "server"), count(tools, "tool")];
    if (failing) parts.push(`${failing} failing`);
    if (held) parts.push(`${count(held, "tool")} quarantined`);
    return parts.join(" · ");
}

function none(isOperator) {
    const example = "toolscout server add files -- npx -y @modelcontextprotocol/server-filesystem .";
    return empty(
        "No servers yet",
        isOperator ? "Add one here, or in a terminal:" : "In a terminal:",
        `\`${example}\``,
        "`toolscout import` imports the servers of your editor. Tools of the project's own folder are under Tools.",
    );
}

/// One server is asked for its tools, or has answered.
function discovered(event, rows, soon) {
    const id = event.server;
    rows.get(id)?.discovering(event);
    if (event.phase === "begun") return;
    announce(
        event.error
            ? `${shown(id)} could not be refreshed: ${shown(event.error)}`
            : `${shown(id)} has ${count(event.tools, "tool")}`,
    );
    soon();
}
