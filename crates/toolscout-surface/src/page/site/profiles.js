// Profiles: named subsets of the tools for clients, from the configuration.

import { get } from "./api.js";
import {
    badge,
    copyableCommand,
    emptyState,
    errorMessage,
    externalText,
    loading,
    pageHeader,
    policyBadge,
    showOperatorsOnly,
} from "./components.js";
import { el, setChildren, throttle } from "./dom.js";
import { subscribe } from "./events.js";
import { escapeInvisible, formatNumber, plural, truncate } from "./format.js";

/// Names of tools that are shown of one source.
const MAX_NAMES = 60;

export function show(main, context) {
    if (showOperatorsOnly(main, context, "Profiles", "see profiles")) return {};
    const list = el("div", {}, loading("Loading profiles"));
    setChildren(main, pageHeader("Profiles", "Named subsets of the tools. A client that uses a profile sees only these."), list);
    const load = () => update(list, context, load);
    subscribe("changed", throttle(500, load), context.signal);
    return { ready: load() };
}

async function update(list, context, reload) {
    if (list.querySelector("details[open]")) return;
    try {
        const { profiles } = await get("/api/profiles", context.signal);
        if (profiles.length === 0) setChildren(list, noProfiles());
        else setChildren(list, el("ul", { class: "cards" }, profiles.map(profileCard)));
    } catch (error) {
        if (!context.signal.aborted) setChildren(list, errorMessage(error, reload));
    }
}

function noProfiles() {
    const example = '[profiles.work]\ninclude = ["github/*", "files/read_*"]\nmode = "read-only"';
    return emptyState(
        "No profiles",
        "Without a profile, clients use all tools. To define one, add this to `toolscout.toml`:",
        el("pre", { tabindex: "0" }, example),
        "Then run `toolscout serve --profile work`, or connect over HTTP to `/mcp/work`.",
    );
}

function profileCard(profile) {
    const share = `${formatNumber(profile.toolCount)} of ${plural(profile.allTools, "tool")}`;
    const sources = Object.entries(profile.sources);
    const policies = Object.entries(profile.policies);
    return el(
        "li",
        { class: "card", "data-profile": profile.name },
        el("h2", {}, externalText(profile.name), " ", profile.mode === "read-only" && badge("read-only", "warning")),
        el("p", {}, `${share} from ${plural(sources.length, "source")}`),
        sources.length === 0 && el("p", { class: "notice" }, "No tool matches its patterns."),
        sources.map(([source, names]) => sourceDetails(source, names)),
        policies.length > 0 &&
            el(
                "ul",
                { class: "short" },
                policies.map(([pattern, policy]) =>
                    el("li", { class: "row-inline" }, externalText(truncate(pattern, 120), "code"), " ", policyBadge(policy)),
                ),
            ),
        el(
            "dl",
            { class: "facts" },
            el("dt", {}, "Over HTTP"),
            el("dd", {}, `${location.origin}${escapeInvisible(profile.path)}`),
            el("dt", {}, "As a command"),
            el("dd", {}, copyableCommand(`toolscout serve --profile ${escapeInvisible(profile.name)}`)),
            el("dt", {}, "Defined in"),
            el("dd", { class: "external" }, escapeInvisible(profile.file)),
        ),
    );
}

function sourceDetails(source, names) {
    const shown = names.slice(0, MAX_NAMES).map((name) => externalText(truncate(name, 60), "code"));
    const rest = names.length - shown.length;
    return el(
        "details",
        { class: "names" },
        el("summary", {}, externalText(truncate(source, 60)), " ", el("span", { class: "count" }, formatNumber(names.length))),
        el("p", {}, shown.flatMap((node) => [node, " "]), rest > 0 && `and ${formatNumber(rest)} more`),
    );
}
