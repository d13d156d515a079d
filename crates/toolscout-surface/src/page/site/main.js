// The frame around the views: which one is shown, who is signed in, and what waits.

import { ahead, get, key, post } from "./api.js";
import { announce, button, el, gathered, replace } from "./dom.js";
import { follow, listening, on } from "./events.js";
import { failed } from "./parts.js";
import { number } from "./words.js";

const VIEWS = {
    servers: () => import("./servers.js"),
    tools: () => import("./tools.js"),
    approvals: () => import("./approvals.js"),
    activity: () => import("./activity.js"),
};
/// What a view asks for first.
const AHEAD = { servers: ["/api/servers"], tools: ["/api/servers", "/api/tools?all=true&limit=1"] };
const TITLES = { servers: "Servers", tools: "Tools", approvals: "Approvals", activity: "Activity" };

const main = document.getElementById("main");
/// What all views know of: who we are.
const page = { me: undefined, servers: undefined };
let current = { name: undefined, view: undefined, leaving: new AbortController() };

function place() {
    const [, name, ...rest] = location.hash.split("?")[0].split("/");
    return { name: Object.hasOwn(VIEWS, name ?? "") ? name : "servers", rest: rest.map(part) };
}

/// A part of the address; one that was typed wrongly is taken as it is.
function part(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/// Shows what the address says. A view that is there already is only told about the rest of it.
async function go(isFirst = false) {
    const { name, rest } = place();
    if (name === current.name && current.view?.go) return current.view.go(rest);
    current.leaving.abort();
    const leaving = new AbortController();
    current = { name, leaving };
    mark(name);
    try {
        const module = await VIEWS[name]();
        if (leaving.signal.aborted) return;
        replace(main);
        const saw = (servers) => (page.servers = servers);
        current.view = module.show(main, { me: page.me, rest, signal: leaving.signal, refreshCounts, saw });
        await current.view?.ready;
    } catch (error) {
        if (!leaving.signal.aborted)
            replace(
                main,
                failed(error, () => location.reload()),
            );
    }
    document.documentElement.dataset.ready = name;
    if (isFirst) performance.mark("interactive");
    else main.focus({ preventScroll: true });
}

function mark(name) {
    document.title = `${TITLES[name]} · toolscout`;
    for (const link of document.querySelectorAll("nav [data-view]")) {
        if (link.dataset.view === name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    announce(TITLES[name]);
}

async function signIn(reason) {
    current.leaving.abort();
    current = { leaving: new AbortController() };
    document.body.classList.add("signed-out");
    const module = await import("./signin.js");
    module.show(main, reason, () => location.replace("/"));
    document.documentElement.dataset.ready = "signin";
}

function showWho() {
    const isOperator = page.me.role === "operator";
    const out = button(
        "Sign out",
        async () => {
            await post("/signout").catch(() => undefined);
            key.forget();
            location.replace("/");
        },
        { class: "quiet" },
    );
    const role = isOperator ? "Signed in as operator" : "Read-only: signed in as an agent";
    const how = !isOperator && el("span", {}, el("code", {}, "toolscout ui"), " signs you in as operator");
    replace(document.getElementById("who"), el("span", {}, role), how, key.read() && out);
}

function setCount(name, value, isUrgent) {
    const node = document.getElementById(`count-${name}`);
    node.textContent = value ? number(value) : "";
    node.classList.toggle("urgent", Boolean(isUrgent && value));
}

/// How many there are of what the views show.
async function refreshCounts() {
    const isOperator = page.me?.role === "operator";
    const quietly = (path) => get(path).catch(() => undefined);
    // How many are held the servers say; the reviews themselves may be long.
    const known = page.servers && { servers: page.servers };
    page.servers = undefined;
    const asks = [quietly("/api/projects"), known ?? quietly("/api/servers"), isOperator && quietly("/api/approvals")];
    const [projects, servers, approvals] = await Promise.all(asks);
    const project = projects?.projects?.find((it) => it.current) ?? projects?.projects?.[0];
    const held = (servers?.servers ?? []).reduce((sum, it) => sum + (it.heldCount ?? 0), 0);
    setCount("servers", servers?.servers?.length);
    setCount("tools", project?.tools);
    setCount("approvals", (approvals?.approvals?.length ?? 0) + (isOperator ? held : 0), true);
}

/// What came with the address: the key of a link that was followed, or that it was followed before.
function arrival() {
    const { hash } = location;
    const clean = () => history.replaceState(null, "", location.pathname);
    if (hash.startsWith("#key=")) {
        key.keep(hash.slice("#key=".length));
        clean();
    } else if (hash === "#link-used") {
        clean();
        return "This link was already used, or is older than two minutes.";
    }
    return undefined;
}

async function start() {
    const reason = arrival();
    const counted = gathered(300, () => void refreshCounts());
    addEventListener("signed-out", () => page.me && location.reload());
    document.getElementById("skip").addEventListener("click", (event) => {
        event.preventDefault();
        main.focus();
    });
    const { name } = place();
    // First, so that nothing can happen between what is asked for and what is told.
    void follow(new AbortController().signal);
    (AHEAD[name] ?? []).forEach(ahead);
    const module = VIEWS[name]();
    try {
        page.me = await get("/api/me");
        await module;
    } catch (error) {
        if (error.status === 401) return signIn(reason);
        return replace(main, failed(error, () => location.reload()));
    }
    if (reason && page.me.role !== "operator") return signIn(reason);
    showWho();
    addEventListener("hashchange", () => go());
    await go(true);
    void refreshCounts();
    for (const kind of ["changed", "decision", "discovery", "missed"]) on(kind, counted);
    return listening();
}

start();
