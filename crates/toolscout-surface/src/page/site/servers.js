// The list of servers, updated while they load their tools.

import { get } from "./api.js";
import { emptyState, errorMessage, loading, pageHeader } from "./components.js";
import { announce, button, el, setChildren, throttle } from "./dom.js";
import { subscribe } from "./events.js";
import { escapeInvisible, plural } from "./format.js";
import { ServerRow } from "./server-row.js";

export function show(main, context) {
    const isOperator = context.me.role === "operator";
    const summary = el("p", { class: "about" });
    const list = el("div", {}, loading("Loading servers"));
    const add = isOperator && button("Add server", () => openForm(load), { class: "strong", id: "add-server" });
    const header = pageHeader("Servers", undefined, add);
    header.firstChild.append(summary);
    setChildren(main, header, list);

    const rows = new Map();
    const load = () => update({ summary, list, rows, context, isOperator, load });
    const reload = throttle(150, load);
    subscribe("changed", reload, context.signal);
    subscribe("missed", reload, context.signal);
    subscribe("discovery", (event) => onDiscovery(event, rows, reload), context.signal);
    const timer = setInterval(() => rows.forEach((row) => row.updateAge()), 10000);
    context.signal.addEventListener("abort", () => clearInterval(timer));
    return { ready: load() };
}

async function openForm(onAdded) {
    const module = await import("./server-form.js");
    module.open(onAdded);
}

async function update(view) {
    const { summary, list, rows, context, isOperator, load } = view;
    try {
        const { servers } = await get("/api/servers", context.signal);
        context.onServersLoaded(servers);
        summary.textContent = summarize(servers);
        if (servers.length === 0) return setChildren(list, noServers(isOperator));
        const ids = new Set(servers.map((server) => server.id));
        for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id);
        for (const server of servers) {
            if (rows.has(server.id)) rows.get(server.id).update(server);
            else rows.set(server.id, new ServerRow(server, { isOperator, load, signal: context.signal }));
        }
        const nodes = servers.map((server) => rows.get(server.id).node);
        const existing = list.firstChild?.tagName === "UL" ? [...list.firstChild.children] : [];
        const isSame = nodes.length === existing.length && nodes.every((node, index) => node === existing[index]);
        // Moving a node would take the focus away from it.
        if (!isSame) setChildren(list, el("ul", { class: "rows" }, nodes));
    } catch (error) {
        if (!context.signal.aborted) setChildren(list, errorMessage(error, load));
    }
    return undefined;
}

function summarize(servers) {
    const sum = (field) => servers.reduce((total, server) => total + (server[field] ?? 0), 0);
    const failed = servers.filter((server) => server.state === "failed" || server.discoveryError).length;
    const quarantined = sum("quarantinedCount");
    const parts = [plural(servers.length, "server"), `${plural(sum("toolCount"), "tool")} from servers`];
    if (failed) parts.push(`${failed} failed`);
    if (quarantined) parts.push(`${plural(quarantined, "tool")} quarantined`);
    return parts.join(" · ");
}

function noServers(isOperator) {
    const example = "toolscout server add files -- npx -y @modelcontextprotocol/server-filesystem .";
    return emptyState(
        "No servers",
        isOperator ? "Add a server here, or run:" : "To add a server, run:",
        `\`${example}\``,
        "`toolscout import` imports the servers of other clients. Tools from the project folder are under Tools.",
    );
}

/// A server started or finished loading its tools.
function onDiscovery(event, rows, reload) {
    const id = event.server;
    rows.get(id)?.onDiscovery(event);
    if (event.phase === "started") return;
    const name = escapeInvisible(id);
    announce(
        event.error
            ? `${name}: refresh failed: ${escapeInvisible(event.error)}`
            : `${name}: ${plural(event.tools, "tool")} loaded`,
    );
    reload();
}
