// Settings: the look of this page, notifications, and the access tokens of this machine.

import { get } from "./api.js";
import { badge, copyableCommand, errorMessage, externalText, loading, operatorsOnly, pageHeader, section } from "./components.js";
import { announce, button, el, setChildren } from "./dom.js";
import { escapeInvisible, relativeTime } from "./format.js";
import { notificationState, setNotifications, themeSwitch } from "./preferences.js";

const ROLE_TEXTS = {
    agent: "Clients with it find and call tools. They cannot approve, or change anything.",
    operator: "Clients with it also approve calls, and change servers and policies.",
};
const NOTIFICATION_TEXTS = {
    on: "This browser notifies you when a call waits for approval and this page is in the background.",
    off: "Get a notification when a call waits for approval. The browser asks for your permission first.",
    blocked: "The browser blocks notifications of this page. Allow them in its site settings, then reload.",
    unsupported: "This browser has no notifications.",
};

export function show(main, context) {
    const tokens = el("div", {}, loading("Loading tokens"));
    const isOperator = context.me.role === "operator";
    setChildren(
        main,
        pageHeader("Settings"),
        el(
            "div",
            { class: "stack wide" },
            section("Appearance", themeSwitch("settings-theme"), el("p", { class: "faint" }, "Stored in this browser.")),
            isOperator && section("Notifications", notifications()),
            section("Access tokens", tokens),
        ),
    );
    if (!isOperator) {
        setChildren(tokens, operatorsOnly("see tokens"));
        return {};
    }
    return { ready: loadTokens(tokens, context) };
}

function notifications() {
    const node = el("div", { class: "stack tight", id: "notifications" });
    const render = () => {
        const state = notificationState();
        const toggle = async () => {
            announce(NOTIFICATION_TEXTS[await setNotifications(state !== "on")]);
            render();
        };
        setChildren(
            node,
            el("p", { class: "faint" }, NOTIFICATION_TEXTS[state]),
            state === "on" && el("p", {}, button("Turn off", toggle)),
            state === "off" && el("p", {}, button("Turn on notifications", toggle)),
        );
    };
    render();
    return node;
}

async function loadTokens(node, context) {
    try {
        const { tokens } = await get("/api/tokens", context.signal);
        setChildren(
            node,
            el("ul", { class: "cards" }, tokens.map(tokenCard)),
            el(
                "p",
                { class: "faint note" },
                "All clients with the same token count as one user, unless it names another. Values are never shown here; `toolscout token create` prints one.",
            ),
        );
    } catch (error) {
        if (!context.signal.aborted) setChildren(node, errorMessage(error));
    }
}

function tokenCard(token) {
    const present = token.present ? badge("present", "success") : badge("not created yet");
    const state = token.expired ? badge("expired", "error") : present;
    const facts = {
        File: token.file,
        Profile: token.profile,
        User: token.user,
        "Approves calls": token.approvals === "client" ? "its user" : undefined,
        Expires: token.expires && relativeTime(token.expires),
        "Last used": token.lastUsed && relativeTime(token.lastUsed),
    };
    const shown = Object.entries(facts).filter(([, value]) => value);
    const age = token.created && ` created ${relativeTime(token.created)}`;
    return el(
        "li",
        { class: "card", "data-token": token.name },
        el("h3", {}, `${token.name[0].toUpperCase()}${token.name.slice(1)} token `, state),
        el("p", {}, ROLE_TEXTS[token.role] ?? token.role, age && el("span", { class: "faint" }, age)),
        el(
            "dl",
            { class: "facts" },
            shown.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, externalText(value))]),
            el("dt", {}, "Replace it"),
            el("dd", { class: "text" }, copyableCommand(`toolscout token rotate ${escapeInvisible(token.name)}`), " prints the new value. Clients need it."),
        ),
    );
}
