// One server in the list: a line that says how it is, and behind it what can be done about it.

import { get, path, post, remove } from "./api.js";
import { button, el, fresh, replace } from "./dom.js";
import { attempt, block, chip, said, ticked, toast } from "./parts.js";
import { ago, count, line, pretty, shown, took } from "./words.js";

const TONES = { running: "good", idle: "good", starting: "warm", failed: "bad" };
const SAYS = {
    configured: "not loaded yet",
    known: "known",
    starting: "starting",
    running: "running",
    idle: "idle",
    failed: "failed",
};

export class Row {
    constructor(server, view) {
        this.view = view;
        this.server = server;
        this.isOpen = false;
        this.body = fresh("server");
        this.node = el("li", { class: "row server", "data-server": server.id });
        this.parts = {
            state: el("span", { class: "state" }),
            name: this.opener(),
            where: el("span", { class: "where said" }),
            tools: el("span", { class: "tools" }),
            age: el("span", { class: "age" }),
            acts: el("span", { class: "acts" }),
            reason: el("div", { class: "reason" }),
            more: el("div", { class: "more", id: this.body, hidden: true }),
        };
        const { state, name, where, tools, age, acts, reason, more } = this.parts;
        this.node.append(el("div", { class: "line" }, state, name, where, tools, age, acts), reason, more);
        this.update(server);
    }

    opener() {
        const toggle = () => this.toggle();
        return button(line(this.server.id, 60), toggle, {
            class: "name",
            "aria-expanded": "false",
            "aria-controls": this.body,
        });
    }

    update(server) {
        this.server = server;
        const { state, where, tools, acts, reason } = this.parts;
        const word = server.enabled === false ? "off" : server.state;
        state.className = `state ${server.enabled === false ? "off" : (TONES[word] ?? "calm")}`;
        replace(state, SAYS[word] ?? word);
        where.textContent = line(place(server), 160);
        const held = server.heldCount ? el("a", { href: "#/approvals" }, `${server.heldCount} quarantined`) : undefined;
        replace(tools, count(server.toolCount, "tool"), held && " · ", held);
        this.age();
        replace(reason, ...reasons(server));
        this.isDiscovering = server.discoveryStatus === "discovering";
        this.node.classList.toggle("busy", this.isDiscovering);
        if (!acts.contains(document.activeElement)) replace(acts, ...this.quick());
        if (this.isOpen && !this.parts.more.contains(document.activeElement)) this.fillMore();
    }

    age() {
        const { lastDiscovery } = this.server;
        if (!this.isDiscovering)
            this.parts.age.textContent = lastDiscovery ? `refreshed ${ago(lastDiscovery)}` : "never loaded";
    }

    /// An event says how far the server is with saying what it has.
    discovering(event) {
        this.isDiscovering = event.phase === "begun";
        this.node.classList.toggle("busy", this.isDiscovering);
        this.parts.age.textContent = this.isDiscovering
            ? "loading tools…"
            : `refreshed just now${event.tookMs ? `, ${took(event.tookMs)}` : ""}`;
        if (event.phase === "done") this.parts.tools.textContent = count(event.tools, "tool");
    }

    toggle() {
        this.isOpen = !this.isOpen;
        this.parts.name.setAttribute("aria-expanded", String(this.isOpen));
        this.parts.more.hidden = !this.isOpen;
        if (this.isOpen) this.fillMore();
    }

    quick() {
        if (!this.view.isOperator) return [];
        const isUp = ["running", "idle", "starting"].includes(this.server.state);
        const label = (word) => ({ "aria-label": `${word} ${shown(this.server.id)}`, class: "quiet" });
        const steer = isUp
            ? button("Stop", () => this.control("stop"), label("Stop"))
            : button("Start", () => this.control("start"), label("Start"));
        return [button("Refresh", () => this.refresh(), label("Refresh")), this.server.enabled !== false && steer];
    }

    fillMore() {
        const { server } = this;
        const facts = Object.entries(factsOf(server)).filter(([, it]) => it);
        const list = el(
            "dl",
            { class: "facts" },
            facts.map(([name, it]) => [el("dt", {}, name), el("dd", { class: "said" }, shown(it))]),
        );
        const logs = el("div", {});
        const tools = el("a", { class: "button quiet", href: `#/tools?${encodeURIComponent(server.id)}` }, "Its tools");
        replace(this.parts.more, list, el("div", { class: "actions" }, tools, ...this.slow(logs)), logs);
    }

    slow(logs) {
        if (!this.view.isOperator) return [];
        const { server } = this;
        const isOff = server.enabled === false;
        return [
            button("Test", () => this.test(logs), { class: "quiet" }),
            button("Restart", () => this.control("restart"), { class: "quiet" }),
            button(isOff ? "Enable" : "Disable", () => this.control(isOff ? "enable" : "disable"), { class: "quiet" }),
            button("Logs", () => this.logs(logs), { class: "quiet" }),
            button("Remove", () => this.removal(logs), { class: "quiet danger" }),
        ];
    }

    async control(action) {
        const done = await attempt(() => post(path`/api/servers/${this.server.id}/control`, { action }));
        if (done) toast(`${shown(this.server.id)}: ${done.status}`);
        await this.view.load();
    }

    async refresh() {
        this.discovering({ phase: "begun" });
        const asked = await attempt(() => post("/api/refresh", { servers: [this.server.id], wait: false }));
        if (!asked) await this.view.load();
    }

    async test(place) {
        replace(place, el("p", { class: "waiting" }, "Starting the server and listing its tools…"));
        const result = await attempt(() => post(path`/api/servers/${this.server.id}/test`));
        if (!result) return replace(place);
        const words = result.ok
            ? `It answers after ${took(result.latencyMs)}${result.toolCount === undefined ? "" : `, with ${count(result.toolCount, "tool")}`}${result.protocol ? `, protocol ${result.protocol}` : ""}.`
            : `It does not answer: ${result.error ?? "unknown error"}`;
        return replace(
            place,
            el("p", { role: "status", class: result.ok ? "right" : "wrong" }, shown(words)),
            result.hint && el("p", { class: "hint" }, ticked(shown(result.hint))),
        );
    }

    async logs(place) {
        const answer = await attempt(() => get(path`/api/servers/${this.server.id}/logs`));
        if (!answer) return;
        const text = typeof answer.logs === "string" ? answer.logs : (answer.logs ?? []).join("\n");
        const none = answer.running
            ? "No stderr output."
            : "The server is not running. Start it to see its stderr output.";
        replace(
            place,
            text ? block(shown(text), "Recent stderr output") : el("p", { class: "faint" }, none),
        );
    }

    removal(place) {
        const sure = button(
            `Remove ${line(this.server.id, 40)}`,
            async () => {
                const gone = await attempt(() => remove(path`/api/servers/${this.server.id}`).then(() => true));
                if (gone) toast(`${shown(this.server.id)} is removed`);
                await this.view.load();
            },
            { class: "strong danger" },
        );
        replace(
            place,
            el("p", {}, "Removes the server from the configuration, with its cached tools."),
            el(
                "div",
                { class: "actions" },
                sure,
                button("Keep it", () => replace(place), { class: "quiet" }),
            ),
        );
        sure.focus();
    }
}

function place(server) {
    if (server.url) return server.url;
    return [server.command, ...(server.args ?? [])].filter(Boolean).join(" ");
}

function reasons(server) {
    const { discoveryError: words } = server;
    const parts = [];
    if (words) parts.push(el("p", { class: "wrong" }, said(words)));
    if (server.reason && server.reason !== words) parts.push(el("p", { class: "faint" }, said(server.reason)));
    if (words)
        parts.push(
            el(
                "p",
                { class: "hint" },
                el("code", {}, `toolscout server logs ${shown(server.id)}`),
                " shows its stderr output.",
            ),
        );
    if (server.trusted === false && server.enabled !== false) parts.push(chip("not trusted", "warm"));
    if (server.stale) parts.push(el("p", { class: "faint" }, "The last refresh failed; older data is shown."));
    return parts;
}

function factsOf(server) {
    const env =
        server.env &&
        Object.entries(server.env)
            .map(([name, it]) => `${name}=${it}`)
            .join("\n");
    const policies = server.tools && Object.keys(server.tools).length ? pretty(server.tools) : undefined;
    return {
        Transport: server.transport,
        Command: server.command && place(server),
        Address: server.url,
        Variables: env,
        "Configured in": server.file,
        Trusted: server.trusted === undefined ? undefined : server.trusted ? "yes" : "no",
        Policies: policies,
    };
}
