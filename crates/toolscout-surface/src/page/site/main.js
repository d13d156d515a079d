// The frame of the UI: navigation, the signed-in user, and the counts in the sidebar.

import { get, post, prefetch, reuse, sessionKey } from "./api.js";
import { errorMessage } from "./components.js";
import { announce, button, el, setChildren, throttle } from "./dom.js";
import { connect, subscribe, subscribersReady } from "./events.js";
import { decodeUrlPart, escapeInvisible, formatNumber } from "./format.js";
import { notifyPendingCall, themeSwitch } from "./preferences.js";
import { showSwitch } from "./projects.js";

const VIEWS = {
    overview: () => import("./overview.js"),
    servers: () => import("./servers.js"),
    tools: () => import("./tools.js"),
    approvals: () => import("./approvals.js"),
    activity: () => import("./activity.js"),
    clients: () => import("./clients.js"),
    secrets: () => import("./secrets.js"),
    profiles: () => import("./profiles.js"),
    settings: () => import("./settings.js"),
    setup: () => import("./setup.js"),
};
/// The first requests of a view.
const PREFETCH = { servers: ["/api/servers"], tools: ["/api/servers", "/api/tools?all=true&limit=1"] };
const title = (name) => name[0].toUpperCase() + name.slice(1);

const main = document.getElementById("main");
/// Shared by all views: the caller, and the last list of servers.
const state = { me: undefined, servers: undefined };
let current = { name: undefined, view: undefined, controller: new AbortController() };

/// The view and the path segments in the hash of the URL.
function route() {
    const [, name, ...segments] = location.hash.split("?")[0].split("/");
    return { name: Object.hasOwn(VIEWS, name ?? "") ? name : "servers", segments: segments.map(decodeUrlPart) };
}

/// Shows the view of the current URL. A view that is already open only gets the new path segments.
async function navigate(isFirst = false) {
    const { name, segments } = route();
    if (name === current.name && current.view?.navigate) return current.view.navigate(segments);
    current.controller.abort();
    const controller = new AbortController();
    current = { name, controller };
    markCurrent(name);
    try {
        const module = await VIEWS[name]();
        if (controller.signal.aborted) return;
        setChildren(main);
        const onServersLoaded = (servers) => (state.servers = servers);
        const context = { me: state.me, segments, signal: controller.signal, refreshCounts, onServersLoaded };
        current.view = module.show(main, context);
        await current.view?.ready;
    } catch (error) {
        if (!controller.signal.aborted) showFatal(error);
    }
    document.documentElement.dataset.ready = name;
    if (isFirst) performance.mark("interactive");
    else main.focus({ preventScroll: true });
}

function showFatal(error) {
    setChildren(
        main,
        errorMessage(error, () => location.reload()),
    );
}

function markCurrent(name) {
    document.title = `${title(name)} · toolscout`;
    for (const link of document.querySelectorAll("nav [data-view]")) {
        if (link.dataset.view === name) {
            link.setAttribute("aria-current", "page");
            // On a narrow screen, the navigation is a row that scrolls.
            link.scrollIntoView({ block: "nearest", inline: "nearest" });
        } else link.removeAttribute("aria-current");
    }
    announce(title(name));
}

async function showSignIn(message) {
    current.controller.abort();
    current = { controller: new AbortController() };
    document.body.classList.add("signed-out");
    const module = await import("./sign-in.js");
    module.show(main, message, () => location.replace("/"));
    document.documentElement.dataset.ready = "signin";
}

function showAccount() {
    const isOperator = state.me.role === "operator";
    const signOut = button(
        "Sign out",
        async () => {
            await post("/signout").catch(() => undefined);
            sessionKey.clear();
            location.replace("/");
        },
        { class: "quiet" },
    );
    const role = isOperator ? "Signed in as operator" : "Signed in as agent";
    const hint = !isOperator && el("span", {}, "Run ", el("code", {}, "toolscout ui"), " to sign in as operator.");
    const theme = themeSwitch("theme");
    setChildren(document.getElementById("account"), theme, el("span", {}, role), hint, sessionKey.read() && signOut);
}

function setCount(name, value, isUrgent) {
    const node = document.getElementById(`count-${name}`);
    node.textContent = value ? formatNumber(value) : "";
    node.classList.toggle("urgent", Boolean(isUrgent && value));
}

/// Updates the counts in the sidebar.
async function refreshCounts() {
    const isOperator = state.me?.role === "operator";
    const getOrNothing = (path) => get(path).catch(() => undefined);
    // Quarantined tools are counted from the list of servers: the list of reviews may be long.
    const loaded = state.servers && { servers: state.servers };
    state.servers = undefined;
    const [projects, servers, approvals, tools] = await Promise.all([
        getOrNothing("/api/projects"),
        loaded ?? getOrNothing("/api/servers"),
        isOperator && getOrNothing("/api/approvals"),
        // The same count as in the view of tools: quarantined and disabled ones included.
        getOrNothing("/api/tools?all=true&limit=1"),
    ]);
    showSwitch(document.getElementById("projects"), projects?.projects);
    const quarantined = (servers?.servers ?? []).reduce((sum, server) => sum + (server.quarantinedCount ?? 0), 0);
    setCount("servers", servers?.servers?.length);
    setCount("tools", tools?.total);
    setCount("approvals", (approvals?.approvals?.length ?? 0) + (isOperator ? quarantined : 0), true);
}

/// Handles the result of a sign-in link in the URL. Returns an error message if the link was invalid.
function readSignInResult() {
    const { hash } = location;
    const clearHash = () => history.replaceState(null, "", location.pathname);
    if (hash.startsWith("#key=")) {
        sessionKey.store(hash.slice("#key=".length));
        clearHash();
    } else if (hash === "#link-used") {
        clearHash();
        return "This sign-in link was already used, or is older than two minutes.";
    }
    return undefined;
}

/// Whether nothing is set up: there is no server and no tool. The first view reuses the list of servers.
async function needsSetup() {
    if (state.me.role !== "operator") return false;
    const response = get("/api/servers");
    reuse("/api/servers", response);
    const { servers } = await response;
    return servers.length === 0 && (await get("/api/tools?all=true&limit=1")).total === 0;
}

async function start() {
    const signInError = readSignInResult();
    const updateCounts = throttle(300, () => void refreshCounts());
    addEventListener("signed-out", () => state.me && location.reload());
    document.getElementById("skip").addEventListener("click", (event) => {
        event.preventDefault();
        main.focus();
    });
    const { name } = route();
    const banner = document.getElementById("banner");
    subscribe("offline", () => (banner.hidden = false));
    subscribe("online", () => (banner.hidden = true));
    // Before the first request, so that no change is missed between its response and the first event.
    void connect(new AbortController().signal);
    (PREFETCH[name] ?? []).forEach(prefetch);
    const module = VIEWS[name]();
    try {
        state.me = await get("/api/me");
        await module;
    } catch (error) {
        if (error.status === 401) return showSignIn(signInError);
        return showFatal(error);
    }
    if (signInError && state.me.role !== "operator") return showSignIn(signInError);
    showAccount();
    addEventListener("hashchange", () => navigate());
    if (!location.hash && (await needsSetup())) history.replaceState(null, "", `${location.pathname}${location.search}#/setup`);
    await navigate(true);
    void refreshCounts();
    for (const kind of ["changed", "decision", "discovery", "missed", "online", "server"]) subscribe(kind, updateCounts);
    subscribe("call", ({ outcome, tool }) => {
        if (outcome !== "pending") return;
        updateCounts();
        notifyPendingCall(escapeInvisible(tool));
    });
    return subscribersReady();
}

start();
