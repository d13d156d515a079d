// An agent beside the browser: greets, lists, searches and calls over MCP, as real ones do.

export class Agent {
    #next = 1;
    #session;

    constructor(origin, token, name = "claude-code") {
        this.origin = origin;
        this.token = token;
        this.name = name;
    }

    async hello() {
        const params = {
            protocolVersion: "2025-11-25",
            capabilities: {},
            clientInfo: { name: this.name, version: "2.1.0" },
        };
        await this.ask("initialize", params);
        await this.ask("tools/list", {});
        return this;
    }

    async ask(method, params) {
        const headers = {
            authorization: `Bearer ${this.token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
        };
        if (this.#session) headers["mcp-session-id"] = this.#session;
        const body = JSON.stringify({ jsonrpc: "2.0", id: this.#next++, method, params });
        const answer = await fetch(`${this.origin}/mcp`, { method: "POST", headers, body });
        this.#session ??= answer.headers.get("mcp-session-id");
        const text = await answer.text();
        const last = text
            .split("\n")
            .filter((it) => it.startsWith("data: "))
            .at(-1);
        return JSON.parse(last ? last.slice("data: ".length) : text);
    }

    search(query) {
        return this.ask("tools/call", { name: "tool_search", arguments: { query } });
    }

    run(name, args) {
        return this.ask("tools/call", { name: "execute_tool", arguments: { name, arguments: args } });
    }
}
