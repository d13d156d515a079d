// MCP clients on this machine: which of them use toolscout, and a way to connect or disconnect them.

import { del, get, path, put } from "./api.js";
import {
    badge,
    emptyState,
    errorMessage,
    externalText,
    loading,
    pageHeader,
    section,
    showOperatorsOnly,
    withErrorToast,
} from "./components.js";
import { button, el, setChildren, throttle } from "./dom.js";
import { subscribe } from "./events.js";
import { plural, truncate } from "./format.js";
import { changesList } from "./changes.js";

const STATES = {
    connected: ["connected", "success"],
    found: ["not connected", "neutral"],
    broken: ["unreadable", "error"],
    "not found": ["not installed", "neutral"],
};

export function show(main, context) {
    if (showOperatorsOnly(main, context, "Clients", "see clients")) return {};
    const list = el("div", {}, loading("Looking for clients"));
    const changes = el("div", {}, loading("Loading changes"));
    const setup = el("a", { class: "button", href: "#/setup" }, "Import servers…");
    setChildren(
        main,
        pageHeader("Clients", "MCP clients on this machine. A connected client uses all tools through toolscout.", setup),
        el("div", { class: "stack wide" }, list, section("Undo", changes)),
    );
    const load = () => Promise.all([update(list, context, load), changesList(changes, context, load)]);
    subscribe("missed", throttle(300, load), context.signal);
    return { ready: load() };
}

async function update(list, context, reload) {
    try {
        const { clients } = await get("/api/clients", context.signal);
        const [present, absent] = [clients.filter(({ state }) => state !== "not found"), clients.filter(({ state }) => state === "not found")];
        const noClients = emptyState(
            "No MCP client found",
            "toolscout looked for the configuration files of the clients below. Over HTTP, any client can connect to `/mcp`.",
        );
        setChildren(
            list,
            present.length ? el("ul", { class: "rows" }, present.map((client) => clientRow(client, reload))) : noClients,
            absent.length > 0 &&
                el("p", { class: "faint note" }, `Not found: ${absent.map(({ title }) => title).join(", ")}.`),
        );
    } catch (error) {
        if (!context.signal.aborted) setChildren(list, errorMessage(error, reload));
    }
}

function clientRow(client, reload) {
    const [label, tone] = STATES[client.state] ?? [client.state, "neutral"];
    const url = path`/api/clients/${client.client}`;
    const send = (act, message) => async () => {
        await withErrorToast(act, message);
        await reload();
    };
    const connect = button("Connect", send(() => put(url, { scope: client.scope ?? "user", take: false }), `Connected ${client.title}. Restart it to finish.`), {
        class: "plain",
        "aria-label": `Connect ${client.title}`,
    });
    const take = button(
        "Connect and move its servers",
        send(() => put(url, { scope: client.scope ?? "user", take: true }), `Connected ${client.title}. Restart it to finish.`),
        { class: "quiet", "aria-label": `Connect ${client.title} and move its servers to toolscout` },
    );
    const disconnect = button("Disconnect", send(() => del(url), `Disconnected ${client.title}`), {
        class: "quiet",
        "aria-label": `Disconnect ${client.title}`,
    });
    const others = client.servers > 0 && `${plural(client.servers, "other server")}`;
    return el(
        "li",
        { class: "row", "data-client": client.client },
        el(
            "div",
            { class: "line plain" },
            el("span", { class: "grow" }, el("strong", {}, client.title), " ", badge(label, tone)),
            el("span", { class: "faint" }, others),
            el(
                "span",
                { class: "row-actions" },
                client.state === "found" && client.servers > 0 && take,
                client.state === "found" && connect,
                client.state === "connected" && disconnect,
            ),
        ),
        client.path && externalText(truncate(client.path, 200), "p", { class: "faint code" }),
    );
}
