// Preferences of this browser: the theme, and notifications about pending calls.

import { el } from "./dom.js";

const THEME_KEY = "toolscout-theme";
const NOTIFY_KEY = "toolscout-notify";
const THEMES = { system: "System", light: "Light", dark: "Dark" };

/// `system`, `light` or `dark`.
function currentTheme() {
    return document.documentElement.dataset.theme ?? "system";
}

/// Sets the theme and stores it. `system` follows the setting of the operating system.
function setTheme(theme) {
    if (theme === "system") {
        localStorage.removeItem(THEME_KEY);
        delete document.documentElement.dataset.theme;
    } else {
        localStorage.setItem(THEME_KEY, theme);
        document.documentElement.dataset.theme = theme;
    }
    for (const select of document.querySelectorAll("select[data-theme-switch]")) select.value = theme;
}

/// A menu that selects the theme.
export function themeSwitch(id) {
    const options = Object.entries(THEMES).map(([value, label]) => el("option", { value }, label));
    const select = el("select", { id, "data-theme-switch": true }, options);
    select.value = currentTheme();
    select.addEventListener("change", () => setTheme(select.value));
    return el("div", { class: "field inline theme" }, el("label", { for: id }, "Theme"), select);
}

/// `on`, `off`, `blocked` (by the browser) or `unsupported`.
export function notificationState() {
    if (!("Notification" in globalThis)) return "unsupported";
    if (Notification.permission === "denied") return "blocked";
    return Notification.permission === "granted" && localStorage.getItem(NOTIFY_KEY) === "on" ? "on" : "off";
}

/// Turns notifications on, which asks for the browser's permission, or off. Call it from a click only.
export async function setNotifications(isOn) {
    if (isOn) await Notification.requestPermission();
    if (isOn && Notification.permission === "granted") localStorage.setItem(NOTIFY_KEY, "on");
    else localStorage.removeItem(NOTIFY_KEY);
    return notificationState();
}

/// Notifies the user that a call waits for approval, if notifications are on and the page is not visible.
export function notifyPendingCall(tool) {
    if (notificationState() !== "on" || document.visibilityState === "visible") return;
    const notification = new Notification("A call needs approval", { body: tool, tag: "toolscout-approval" });
    notification.addEventListener("click", () => {
        focus();
        location.hash = "#/approvals";
        notification.close();
    });
}
