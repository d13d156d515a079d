// The first-run wizard: finds the servers of other MCP clients, imports them, and connects the clients.

import { get, post, queryString } from "./api.js";
import {
    badge,
    emptyState,
    errorMessage,
    externalText,
    loading,
    pageHeader,
    showOperatorsOnly,
    withCode,
    withErrorToast,
} from "./components.js";
import { announce, button, el, setChildren, uniqueId } from "./dom.js";
import { subscribe } from "./events.js";
import { escapeInvisible, plural, truncate } from "./format.js";

const STEPS = ["Find", "Choose", "Load tools", "Done"];
const SECRETS = {
    file: "Move them to files that only you can read",
    keyring: "Move them to the keyring of the operating system",
    env: "Replace them with environment variables that you set",
};
const ACTION_TEXTS = { same: "already configured", skip: "skipped" };

export function show(main, context) {
    if (showOperatorsOnly(main, context, "Set up", "set up toolscout")) return {};
    const steps = el("ol", { class: "steps", "aria-label": "Steps" });
    const body = el("div", { class: "stack", id: "setup" });
    setChildren(
        main,
        pageHeader("Set up toolscout", "Use the MCP servers you have from one place, in every client."),
        steps,
        body,
    );
    const wizard = { context, body, setStep: (index) => showSteps(steps, index) };
    return { ready: find(wizard) };
}

function showSteps(node, current) {
    const item = (name, index) =>
        el("li", { "aria-current": index === current && "step", class: index < current ? "done" : undefined }, name);
    setChildren(node, STEPS.map(item));
}

/// Step 1: looks for clients and their servers; changes nothing.
async function find(wizard) {
    wizard.setStep(0);
    setChildren(wizard.body, loading("Looking for MCP clients and their servers"));
    try {
        const plan = await get("/api/setup", wizard.context.signal);
        choose(wizard, plan);
    } catch (error) {
        if (!wizard.context.signal.aborted)
            setChildren(
                wizard.body,
                errorMessage(error, () => find(wizard)),
                manualStart(wizard),
            );
    }
}

/// Other ways to begin.
function manualStart(wizard) {
    const add = async () => {
        const module = await import("./server-form.js");
        module.open(() => (location.hash = "#/servers"));
    };
    return el(
        "div",
        { class: "actions" },
        button("Add a server by hand", add, { class: "plain", id: "setup-add" }),
        el("a", { class: "button quiet", href: "#/servers" }, "Skip"),
        button("Look again", () => find(wizard), { class: "quiet" }),
    );
}

/// Step 2: what to import and to connect.
function choose(wizard, plan) {
    wizard.setStep(1);
    const importable = plan.servers.filter(({ action }) => action === "add");
    const connectable = plan.clients.filter(({ action }) => action === "connect");
    if (importable.length === 0 && connectable.length === 0) {
        const isEmpty = plan.servers.length === 0;
        const text = isEmpty
            ? "No other MCP client on this machine has servers. Add your first server by hand; toolscout finds its tools."
            : "All servers of other clients are configured already, and every client is connected.";
        setChildren(
            wizard.body,
            emptyState(isEmpty ? "No servers found" : "Nothing left to set up", text),
            manualStart(wizard),
        );
        announce(text);
        return;
    }
    const form = choiceForm(plan);
    form.node.addEventListener("submit", (event) => {
        event.preventDefault();
        void run(wizard, form.read());
    });
    const actions = manualStart(wizard);
    const submit = el("button", { type: "submit", class: "strong", id: "setup-run" }, "Set up");
    form.node.addEventListener("change", () => (submit.disabled = form.read().clients.length === 0));
    actions.prepend(submit);
    form.node.append(actions);
    setChildren(wizard.body, form.node);
    announce(`${plural(importable.length, "server")} found`);
}

function choiceForm(plan) {
    const names = [...new Set([...plan.clients.map(({ client }) => client), ...plan.servers.map(({ client }) => client)])];
    const groups = names.map((name) => clientGroup(name, plan)).filter(Boolean);
    const hasSecrets = plan.servers.some(({ action, secrets }) => action === "add" && secrets.length > 0);
    const secrets = hasSecrets && secretChoice();
    secrets?.node.addEventListener("change", async () => {
        const updated = await withErrorToast(() => get(`/api/setup${queryString({ secrets: secrets.value() })}`));
        for (const server of updated?.servers ?? []) for (const group of groups) group.showNotes(server);
    });
    const connect = checkbox("Connect these clients to toolscout, so that they use the servers through it", true);
    const node = el(
        "form",
        { class: "stack" },
        groups.map((group) => group.node),
        secrets && secrets.node,
        plan.clients.some(({ action }) => action === "connect") && connect.node,
        el("p", { class: "faint" }, "Every changed file is backed up. You can undo the whole step afterwards."),
    );
    const read = () => {
        const chosen = groups.filter((group) => group.isChosen());
        const omitted = chosen.flatMap((group) => group.omitted());
        return {
            clients: chosen.map((group) => group.name),
            only: chosen.flatMap((group) => group.servers(omitted)),
            secrets: secrets ? secrets.value() : "file",
            noConnect: !connect.input.checked,
        };
    };
    return { node, read };
}

/// One client with its servers. None if there is nothing to do for it.
function clientGroup(name, plan) {
    const client = plan.clients.find((item) => item.client === name);
    const servers = plan.servers.filter((server) => server.client === name);
    if (servers.length === 0 && client?.action !== "connect") return undefined;
    const title = client?.title ?? name;
    const items = servers.map((server) => ({ server, ...serverItem(server, actionText(server, plan)) }));
    const importable = items.filter(({ server }) => server.action === "add");
    const isUseful = importable.length > 0 || client?.action === "connect";
    const choice = checkbox(title, isUseful);
    choice.input.disabled = !isUseful;
    choice.input.addEventListener("change", () => importable.forEach(({ input }) => (input.disabled = !choice.input.checked)));
    const node = el(
        "fieldset",
        { class: "card", "data-client": name, "aria-label": escapeInvisible(title) },
        choice.node,
        client?.path && externalText(truncate(client.path, 200), "p", { class: "faint code" }),
        client?.reason && el("p", { class: client.action === "skip" ? "error" : "faint" }, withCode(escapeInvisible(client.reason))),
        items.length ? el("ul", { class: "found-servers" }, items.map((item) => item.node)) : el("p", { class: "faint" }, "It has no servers of its own."),
    );
    return {
        name,
        node,
        isChosen: () => choice.input.checked,
        /// Shows the notes of one server; they depend on the storage of secrets.
        showNotes: (server) =>
            items.find((item) => server.client === name && item.server.name === server.name)?.showNotes(server.notes),
        /// The ids of servers that are not chosen.
        omitted: () => importable.filter(({ input }) => !input.checked).map(({ server }) => server.id),
        /// The chosen servers. Duplicates of servers that are not chosen stay in their file.
        servers: (omitted) =>
            items
                .filter(({ server, input }) => (server.action === "same" ? !omitted.includes(server.id) : input.checked))
                .map(({ server }) => `${name}/${server.name}`),
    };
}

/// Why a server is not added; undefined if it is.
function actionText({ action, id }, plan) {
    if (action === "add") return undefined;
    const isAdded = plan.servers.some((other) => other.action === "add" && other.id === id);
    return action === "same" && isAdded ? `duplicate of ${id}` : (ACTION_TEXTS[action] ?? action);
}

function serverItem(server, reasonToOmit) {
    const isNew = server.action === "add";
    const { input, node } = checkbox(server.id && server.id !== server.name ? `${server.name} as ${server.id}` : server.name, isNew);
    input.disabled = !isNew;
    const facts = [
        reasonToOmit && badge(escapeInvisible(reasonToOmit)),
        server.secrets.length > 0 && badge(plural(server.secrets.length, "secret"), "warning"),
        server.missing.length > 0 && badge(`needs ${server.missing.join(", ")}`, "warning"),
    ];
    const notes = el("div", {});
    const showNotes = (texts) =>
        setChildren(
            notes,
            texts.map((note) => el("p", { class: "faint" }, withCode(escapeInvisible(note)))),
        );
    showNotes(server.notes);
    return {
        input,
        showNotes,
        node: el(
            "li",
            { "data-found": server.name },
            el("div", { class: "line plain" }, node, facts),
            server.runs && externalText(truncate(server.runs, 160), "p", { class: "faint code" }),
            server.reason && el("p", { class: "faint" }, withCode(escapeInvisible(server.reason))),
            notes,
        ),
    };
}

function checkbox(label, checked) {
    const input = el("input", { type: "checkbox", id: uniqueId("choice"), checked });
    return { input, node: el("div", { class: "check" }, input, el("label", { for: input.id }, escapeInvisible(label))) };
}

function secretChoice() {
    const name = uniqueId("secrets");
    const option = ([value, label]) => {
        const input = el("input", { type: "radio", name, value, id: `${name}-${value}`, checked: value === "file" });
        return el("div", { class: "check" }, input, el("label", { for: input.id }, label));
    };
    const node = el("fieldset", { class: "card" }, el("legend", {}, "Secrets in these entries"), Object.entries(SECRETS).map(option));
    return { node, value: () => node.querySelector("input:checked").value };
}

/// Step 3: writes the files and loads the tools of each server, with live progress.
async function run(wizard, choice) {
    wizard.setStep(2);
    const rows = new Map();
    const list = el("ul", { class: "rows" });
    const row = (id) => {
        if (rows.has(id)) return rows.get(id);
        const state = el("span", { class: "faint" });
        const node = el("li", { class: "row" }, el("div", { class: "line plain" }, externalText(truncate(id, 60), "strong", { class: "grow" }), state));
        rows.set(id, { node, state });
        list.append(node);
        return rows.get(id);
    };
    const controller = new AbortController();
    const onDiscovery = (event) => {
        const { node, state } = row(event.server);
        node.classList.toggle("busy", event.phase === "started");
        state.textContent =
            event.phase === "started" ? "Loading tools…" : event.error ? truncate(event.error, 120) : plural(event.tools, "tool");
        state.className = event.error ? "error" : "faint";
    };
    subscribe("discovery", onDiscovery, AbortSignal.any([controller.signal, wizard.context.signal]));
    const hint = el("p", { class: "faint" }, "The first start of a server may download it, which takes a while.");
    setChildren(wizard.body, el("p", { class: "loading", role: "status" }, "Writing the configuration and loading tools…"), list, hint);
    try {
        done(wizard, await post("/api/setup", choice, wizard.context.signal));
    } catch (error) {
        if (!wizard.context.signal.aborted)
            setChildren(
                wizard.body,
                errorMessage(error, () => find(wizard)),
                manualStart(wizard),
            );
    } finally {
        controller.abort();
    }
    wizard.context.refreshCounts();
}

/// Step 4: what was done, and what to do next.
function done(wizard, result) {
    wizard.setStep(3);
    const added = result.servers.filter(({ action }) => action === "add");
    const failed = added.filter(({ status }) => status === "failed");
    const connected = result.clients.filter(({ action }) => action === "connect");
    const summary = `${plural(added.length, "server")} added, ${plural(result.toolCount ?? 0, "tool")} loaded, ${plural(connected.length, "client")} connected.`;
    const failure = (server) =>
        el(
            "li",
            { class: "row" },
            el("p", {}, externalText(server.id, "strong"), " ", badge("failed", "error")),
            server.error && el("p", { class: "error external", dir: "auto" }, withCode(escapeInvisible(server.error))),
            server.hint && el("p", { class: "hint" }, withCode(escapeInvisible(server.hint))),
        );
    const titles = new Intl.ListFormat("en").format(connected.map(({ title }) => title));
    setChildren(
        wizard.body,
        el("p", { role: "status", class: "success" }, summary),
        failed.length > 0 && el("ul", { class: "rows" }, failed.map(failure)),
        el(
            "ul",
            { class: "next" },
            titles && el("li", {}, `Restart ${titles} to finish.`),
            failed.length > 0 && el("li", {}, "Repair failed servers under ", el("a", { href: "#/servers" }, "Servers"), ", or set missing values under ", el("a", { href: "#/secrets" }, "Secrets"), "."),
            el("li", {}, "Try a tool under ", el("a", { href: "#/tools" }, "Tools"), "."),
            el("li", {}, "Changed your mind? ", el("a", { href: "#/clients" }, "Undo"), " restores every file."),
        ),
        el("div", { class: "actions" }, el("a", { class: "button strong", href: "#/servers" }, "Go to servers")),
    );
    announce(summary);
}
