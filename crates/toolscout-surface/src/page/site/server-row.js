// One server in the list: a summary line, and details with actions below it.

import { del, get, path, post } from "./api.js";
import { badge, externalText, loading, testResult, textBlock, toast, withCode, withErrorToast } from "./components.js";
import { deniedAccess } from "./denied-access.js";
import { button, el, setChildren, uniqueId } from "./dom.js";
import { escapeInvisible, formatDuration, plural, prettyJson, relativeTime, truncate } from "./format.js";

const TONES = { running: "success", idle: "success", starting: "warning", failed: "error", disabled: "disabled" };
const STATE_LABELS = { "not-loaded": "not loaded" };

export class ServerRow {
    constructor(server, view) {
        this.view = view;
        this.server = server;
        this.isOpen = false;
        this.detailsId = uniqueId("server");
        this.node = el("li", { class: "row server", "data-server": server.id });
        this.parts = {
            state: el("span", { class: "state" }),
            name: this.toggleButton(),
            target: el("span", { class: "target external" }),
            tools: el("span", { class: "tools" }),
            age: el("span", { class: "age" }),
            actions: el("span", { class: "row-actions" }),
            messages: el("div", { class: "messages" }),
            details: el("div", { class: "details", id: this.detailsId, hidden: true }),
        };
        const { state, name, target, tools, age, actions, messages, details } = this.parts;
        this.node.append(el("div", { class: "line" }, state, name, target, tools, age, actions), messages, details);
        this.update(server);
    }

    toggleButton() {
        return button(truncate(this.server.id, 60), () => this.toggle(), {
            class: "name",
            "aria-expanded": "false",
            "aria-controls": this.detailsId,
        });
    }

    update(server) {
        this.server = server;
        const { state, target, tools, actions, messages } = this.parts;
        state.className = `state ${TONES[server.state] ?? "neutral"}`;
        setChildren(state, STATE_LABELS[server.state] ?? server.state);
        target.textContent = truncate(targetOf(server), 160);
        const quarantined =
            server.quarantinedCount > 0 && el("a", { href: "#/approvals" }, `${server.quarantinedCount} quarantined`);
        setChildren(tools, plural(server.toolCount, "tool"), quarantined && " · ", quarantined);
        this.setLoading(server.discoveryStatus === "discovering");
        this.updateAge();
        setChildren(messages, ...messagesOf(server), this.repair(), this.denied());
        if (!actions.contains(document.activeElement)) setChildren(actions, ...this.quickActions());
        if (this.isOpen && !this.parts.details.contains(document.activeElement)) this.fillDetails();
    }

    /// What to do about a server that failed.
    repair() {
        if (!this.server.discoveryError || !this.view.isOperator) return undefined;
        const label = (verb) => ({ class: "plain", "aria-label": `${verb} ${escapeInvisible(this.server.id)}` });
        return el(
            "p",
            { class: "actions" },
            button("Edit", () => this.edit(), label("Edit")),
            button("Try again", () => this.refresh(), label("Try again:")),
            /toolscout secret set/.test(this.server.discoveryError) &&
                el("a", { class: "button", href: "#/secrets", "aria-label": `Set secret of ${escapeInvisible(this.server.id)}` }, "Set secret"),
        );
    }

    /// What the sandbox denied, for operators.
    denied() {
        return this.view.isOperator ? deniedAccess(this.server, () => this.view.load()) : undefined;
    }

    setLoading(isLoading) {
        this.isLoading = isLoading;
        this.node.classList.toggle("busy", isLoading);
        if (isLoading) this.parts.age.textContent = "Loading tools…";
    }

    updateAge() {
        const { lastDiscovery, discoveryStatus } = this.server;
        if (this.isLoading) return;
        const verb = discoveryStatus === "failed" ? "Failed" : "Refreshed";
        this.parts.age.textContent = lastDiscovery ? `${verb} ${relativeTime(lastDiscovery)}` : "Never loaded";
    }

    /// Shows the progress of a discovery.
    onDiscovery(event) {
        this.setLoading(event.phase === "started");
        const duration = event.durationMs ? ` (${formatDuration(event.durationMs)})` : "";
        if (event.phase === "failed") this.parts.age.textContent = `Failed just now${duration}`;
        if (event.phase === "succeeded") {
            this.parts.age.textContent = `Refreshed just now${duration}`;
            this.parts.tools.textContent = plural(event.tools, "tool");
        }
    }

    toggle() {
        this.isOpen = !this.isOpen;
        this.parts.name.setAttribute("aria-expanded", String(this.isOpen));
        this.parts.details.hidden = !this.isOpen;
        if (this.isOpen) this.fillDetails();
    }

    /// The actions in the summary line.
    quickActions() {
        if (!this.view.isOperator) return [];
        const isUp = ["running", "idle", "starting"].includes(this.server.state);
        const attributes = (verb) => ({ "aria-label": `${verb} ${escapeInvisible(this.server.id)}`, class: "quiet" });
        const startOrStop = isUp
            ? button("Stop", () => this.control("stop"), attributes("Stop"))
            : button("Start", () => this.control("start"), attributes("Start"));
        const refresh = button("Refresh", () => this.refresh(), attributes("Refresh"));
        return [refresh, this.server.enabled !== false && startOrStop];
    }

    fillDetails() {
        const { server } = this;
        const facts = Object.entries(factsOf(server)).filter(([, value]) => value);
        const list = el(
            "dl",
            { class: "facts" },
            facts.map(([name, value]) => [el("dt", {}, name), el("dd", { class: "external" }, escapeInvisible(value))]),
        );
        const output = el("div", {});
        const href = `#/tools?${encodeURIComponent(server.id)}`;
        const tools = el("a", { class: "button quiet", href }, "View tools");
        const actions = el("div", { class: "actions" }, tools, ...this.detailActions(output));
        setChildren(this.parts.details, list, actions, output);
    }

    /// The actions in the details. They write their result to `output`.
    detailActions(output) {
        if (!this.view.isOperator) return [];
        const isDisabled = this.server.enabled === false;
        const quiet = { class: "quiet" };
        return [
            button("Edit", () => this.edit(), quiet),
            button("Test", () => this.test(output), quiet),
            button("Restart", () => this.control("restart"), quiet),
            isDisabled
                ? button("Enable", () => this.control("enable"), quiet)
                : button("Disable", () => this.control("disable"), quiet),
            button("Logs", () => this.showLogs(output), quiet),
            button("Remove", () => this.confirmRemoval(output), { class: "quiet danger" }),
        ];
    }

    async control(action) {
        const result = await withErrorToast(() => post(path`/api/servers/${this.server.id}/control`, { action }));
        if (result) toast(`${escapeInvisible(this.server.id)} is ${result.status}`);
        await this.view.load();
    }

    async refresh() {
        this.setLoading(true);
        const started = await withErrorToast(() => post("/api/refresh", { servers: [this.server.id], wait: false }));
        if (!started) await this.view.load();
    }

    async edit() {
        const module = await import("./server-form.js");
        module.open(this.view.load, this.server);
    }

    async test(output) {
        setChildren(output, loading("Starting the server and loading its tools"));
        const result = await withErrorToast(() => post(path`/api/servers/${this.server.id}/test`));
        if (!result) return setChildren(output);
        return setChildren(output, testResult(result));
    }

    async showLogs(output) {
        const result = await withErrorToast(() => get(path`/api/servers/${this.server.id}/logs`));
        if (!result) return;
        const noOutput = result.running
            ? "No stderr output."
            : "The server is not running. Start it to see its stderr output.";
        setChildren(
            output,
            result.logs
                ? textBlock(escapeInvisible(result.logs), "Recent stderr output")
                : el("p", { class: "faint" }, noOutput),
        );
    }

    confirmRemoval(output) {
        const confirm = button(
            `Remove ${truncate(this.server.id, 40)}`,
            async () => {
                const isRemoved = await withErrorToast(() =>
                    del(path`/api/servers/${this.server.id}`).then(() => true),
                );
                if (isRemoved) toast(`Removed ${escapeInvisible(this.server.id)}`);
                await this.view.load();
            },
            { class: "strong danger" },
        );
        const cancel = button("Cancel", () => setChildren(output), { class: "quiet" });
        setChildren(
            output,
            el("p", {}, "This removes the server from the configuration and deletes its cached tools."),
            el("div", { class: "actions" }, confirm, cancel),
        );
        confirm.focus();
    }
}

/// The command line or the URL of a server.
function targetOf(server) {
    if (server.url) return server.url;
    return [server.command, ...(server.args ?? [])].filter(Boolean).join(" ");
}

/// Errors and warnings about a server.
function messagesOf(server) {
    const { discoveryError: error, reason } = server;
    const nodes = [];
    if (error) nodes.push(el("p", { class: "error external", dir: "auto" }, withCode(escapeInvisible(error))));
    if (reason && reason !== error) nodes.push(el("p", { class: "faint" }, externalText(reason)));
    if (server.trusted === false && server.enabled !== false) nodes.push(badge("not trusted", "warning"), " ", el("a", { href: "#/approvals" }, "Review"));
    if (error && server.stale && server.toolCount > 0)
        nodes.push(el("p", { class: "faint" }, "These are the tools of the last successful refresh."));
    return nodes;
}

function factsOf(server) {
    const env =
        server.env &&
        Object.entries(server.env)
            .map(([name, value]) => `${name}=${value}`)
            .join("\n");
    const policies = server.tools && Object.keys(server.tools).length ? prettyJson(server.tools) : undefined;
    return {
        Transport: server.transport,
        Command: server.command && targetOf(server),
        URL: server.url,
        Environment: env,
        "Configured in": server.file,
        Trusted: server.trusted === undefined ? undefined : server.trusted ? "yes" : "no",
        Policies: policies,
    };
}
