// Settings: the look of this page, notifications, and the access tokens of this machine.

import { loading, operatorsOnly, pageHeader, section } from "./components.js";
import { announce, button, el, setChildren } from "./dom.js";
import { notificationState, setNotifications, themeSwitch } from "./preferences.js";
import { showTokens } from "./tokens.js";

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
    return { ready: showTokens(tokens, context) };
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
