// The files and servers of the project that are new or have changed since it was trusted.

import { get, post } from "./api.js";
import { badge, emptyState, errorMessage, externalText, section, textBlock, withErrorToast } from "./components.js";
import { button, el, setChildren } from "./dom.js";
import { escapeInvisible, plural, truncate } from "./format.js";

/// Files and servers that are shown.
const MAX_ITEMS = 50;

/// A section that shows what waits for trust, and trusts it as it is shown.
export class WaitingTrust {
    constructor(context) {
        this.context = context;
        this.body = el("div", { class: "stack" });
        this.node = section("Files and servers of the project", this.body);
    }

    async load() {
        try {
            const response = await get("/api/trust", this.context.signal);
            const content = JSON.stringify(response);
            // Rendering the same content again would take the focus away.
            if (content === this.rendered) return;
            this.rendered = content;
            setChildren(this.body, this.list(response));
        } catch (error) {
            this.rendered = undefined;
            if (!this.context.signal.aborted) setChildren(this.body, errorMessage(error, () => this.load()));
        }
    }

    list({ folder, trusted, author, changes }) {
        if (changes.length === 0)
            return emptyState(
                "Nothing waits for trust",
                author ? "You trust all content of this folder, also if it changes." : "New and changed files and servers of the project appear here. Until you trust them, nothing starts them.",
            );
        const shown = changes.slice(0, MAX_ITEMS);
        const state = trusted ? "New or changed since you trusted" : "Not trusted yet:";
        return [
            el("p", { class: "faint" }, `${state} `, externalText(truncate(folder, 160), "code"), `: ${plural(changes.length, "item")}`),
            shown.length > 1 &&
                el("div", { class: "actions" }, this.trustButton(shown, `Trust all ${shown.length}`, `Trust all ${shown.length} files and servers`)),
            el("ul", { class: "cards" }, shown.map((change) => el("li", { class: "card", "data-trust": change.name }, this.item(change)))),
        ];
    }

    item(change) {
        const name = escapeInvisible(change.name);
        return [
            el("h3", {}, externalText(truncate(change.name, 160)), " ", badge(change.state, change.state === "changed" ? "warning" : "neutral")),
            change.kind === "server" ? commandNode(change) : fileNode(change),
            el("div", { class: "actions" }, this.trustButton([change], "Trust", `Trust ${name}`)),
        ];
    }

    /// A button that trusts exactly what is shown: the request fails if anything has changed since.
    trustButton(changes, label, description) {
        const digests = (kind) =>
            Object.fromEntries(changes.filter((change) => change.kind === kind).map(({ name, digest }) => [name, digest]));
        const trust = async () => {
            const input = { files: digests("file"), servers: digests("server") };
            const message = changes.length === 1 ? `Trusted ${escapeInvisible(changes[0].name)}` : `Trusted ${plural(changes.length, "item")}`;
            await withErrorToast(() => post("/api/trust", input), message);
            this.rendered = undefined;
            await this.load();
            this.context.refreshCounts();
        };
        return button(label, trust, { class: "strong", "aria-label": description });
    }
}

/// The command of a server, before and now.
function commandNode({ command, trusted_command: trustedCommand }) {
    const line = (tag, sign, text) => text && el(tag, {}, el("span", { "aria-hidden": "true" }, sign), externalText(text));
    return el(
        "div",
        { class: "change" },
        line("del", "− ", trustedCommand),
        line("ins", trustedCommand ? "+ " : "$ ", command),
    );
}

/// The text of a file.
function fileNode({ name, text }) {
    if (text === undefined) return el("p", { class: "hint" }, "A binary or long file. Read it in an editor.");
    return textBlock(escapeInvisible(text), `Content of ${escapeInvisible(name)}`);
}
