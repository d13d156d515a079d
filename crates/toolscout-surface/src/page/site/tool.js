// The details of a tool: its status, a form to try it, its policy and its definition.

import { get, path } from "./api.js";
import { badge, errorMessage, externalText, loading, section, textBlock } from "./components.js";
import { el, setChildren } from "./dom.js";
import { escapeInvisible, prettyJson } from "./format.js";
import { policySettings } from "./policy.js";
import { tryTool } from "./try-tool.js";

const STATUS_TEXTS = {
    quarantined: "Agents cannot find or call this tool until an operator approves it.",
    unprobed: "toolscout has not run this file to read its definition.",
    unavailable: "Calls of this tool fail.",
};

export async function show(node, source, name, context) {
    const timer = setTimeout(() => setChildren(node, loading("Loading tool")), 150);
    try {
        const { tool } = await get(path`/api/tools/${source}/${name}` + "?all=true", context.signal);
        clearTimeout(timer);
        setChildren(node, ...sections(tool, context, () => show(node, source, name, context)));
        node.scrollTop = 0;
    } catch (error) {
        clearTimeout(timer);
        if (!context.signal.aborted) setChildren(node, backLink(), errorMessage(error));
    }
}

function backLink() {
    return el("a", { class: "back", href: "#/tools" }, "← All tools");
}

function sections(tool, context, reload) {
    const title =
        tool.title && tool.title !== tool.name ? externalText(tool.title, "p", { class: "title" }) : undefined;
    const header = el(
        "div",
        { class: "toolhead" },
        backLink(),
        el(
            "h2",
            { class: "toolname" },
            externalText(`${tool.source}/`, "span", { class: "faint" }),
            externalText(tool.name),
        ),
        title,
        externalText(tool.description || "No description", "p", { class: "description" }),
        statusNotice(tool),
    );
    const fields = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
    const definition = Object.fromEntries(
        fields.filter((field) => tool[field] !== undefined).map((field) => [field, tool[field]]),
    );
    return [
        header,
        section("Try it", tryTool(tool, context)),
        section("Policy", policySettings(tool, context, reload)),
        section(
            "Definition",
            keywords(tool),
            textBlock(prettyJson(definition), "Definition as JSON"),
            el("p", { class: "faint digest" }, `Digest: ${tool.digest}`),
        ),
    ];
}

/// Explains a status other than `ready`.
function statusNotice(tool) {
    if (!STATUS_TEXTS[tool.status]) return undefined;
    const reviewLink = tool.status === "quarantined" && el("a", { href: "#/approvals" }, "Review");
    return el(
        "p",
        { class: "notice" },
        badge(tool.status, "warning"),
        " ",
        STATUS_TEXTS[tool.status],
        tool.reason ? ` Reason: ${escapeInvisible(tool.reason)}.` : "",
        " ",
        reviewLink,
    );
}

function keywords(tool) {
    if (!tool.keywords.length) return undefined;
    return el(
        "p",
        { class: "keywords" },
        tool.keywords.slice(0, 24).map((keyword) => badge(keyword)),
    );
}
