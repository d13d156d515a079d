// One tool: what it is, what may be done with it, its whole definition, and a way to try it.

import { get, path } from "./api.js";
import { el, replace } from "./dom.js";
import { block, chip, failed, said, section, waiting } from "./parts.js";
import { policySwitches } from "./policy.js";
import { tryOut } from "./try.js";
import { pretty, shown } from "./words.js";

const STATUS = {
    held: "Quarantined: it cannot be found or called until an operator approves it.",
    unprobed: "Not inspected, because its folder is not trusted.",
    unavailable: "Unavailable at the moment.",
};

export async function show(node, source, name, page) {
    const later = setTimeout(() => replace(node, waiting("Loading the definition")), 150);
    try {
        const { tool } = await get(path`/api/tools/${source}/${name}` + "?all=true", page.signal);
        clearTimeout(later);
        replace(node, ...parts(tool, page, () => show(node, source, name, page)));
        node.scrollTop = 0;
    } catch (error) {
        clearTimeout(later);
        if (!page.signal.aborted) replace(node, back(), failed(error));
    }
}

function back() {
    return el("a", { class: "back", href: "#/tools" }, "← All tools");
}

function parts(tool, page, again) {
    const title = tool.title && tool.title !== tool.name ? said(tool.title, "p", { class: "title" }) : undefined;
    const head = el(
        "div",
        { class: "toolhead" },
        back(),
        el("h2", { class: "toolname" }, said(`${tool.source}/`, "span", { class: "faint" }), said(tool.name)),
        title,
        said(tool.description || "No description.", "p", { class: "description" }),
        held(tool),
    );
    const definition = Object.fromEntries(
        ["name", "title", "description", "inputSchema", "outputSchema", "annotations"]
            .filter((it) => tool[it] !== undefined)
            .map((it) => [it, tool[it]]),
    );
    return [
        head,
        section("Try it", tryOut(tool, page)),
        section("Policy", policySwitches(tool, page, again)),
        section(
            "Definition",
            keywords(tool),
            block(pretty(definition), "The definition as JSON"),
            el("p", { class: "faint digest" }, `digest ${tool.digest ?? "unknown"}`),
        ),
    ];
}

function held(tool) {
    if (!STATUS[tool.status]) return undefined;
    const link = tool.status === "held" ? el("a", { href: "#/approvals" }, "Review it") : undefined;
    return el(
        "p",
        { class: "notice" },
        chip(tool.status, "warm"),
        " ",
        STATUS[tool.status],
        tool.reason ? ` ${shown(tool.reason)}.` : "",
        " ",
        link,
    );
}

function keywords(tool) {
    const words = tool.keywords ?? [];
    return words.length
        ? el(
              "p",
              { class: "keywords" },
              words.slice(0, 24).map((it) => chip(it)),
          )
        : undefined;
}
