// Secrets of servers: their names and uses. Values can be written, never read.

import { del, get, path, put } from "./api.js";
import {
    confirmAction,
    emptyState,
    errorMessage,
    externalText,
    loading,
    pageHeader,
    section,
    showOperatorsOnly,
    withErrorToast,
} from "./components.js";
import { button, el, setChildren } from "./dom.js";
import { escapeInvisible, truncate } from "./format.js";

export function show(main, context) {
    if (showOperatorsOnly(main, context, "Secrets", "see secrets")) return {};
    const list = el("div", { class: "stack wide" }, loading("Loading secrets"));
    const load = () => update(list, context, load);
    setChildren(
        main,
        pageHeader("Secrets", "Stored in files that only you can read. Values are written here and never shown."),
        list,
    );
    return { ready: load() };
}

async function update(list, context, reload) {
    try {
        const { secrets, missing } = await get("/api/secrets", context.signal);
        const stored = secrets.length
            ? el("ul", { class: "rows" }, secrets.map((secret) => secretRow(secret, reload)))
            : emptyState("No secrets", "Store one here. Servers refer to it by its name, for example `env:BRAVE_API_KEY`.");
        setChildren(
            list,
            missing.length > 0 &&
                section("Missing", el("ul", { class: "rows" }, missing.map((secret) => secretRow(secret, reload, true)))),
            section("Stored", stored),
            section("Store a secret", storeForm(reload)),
        );
    } catch (error) {
        if (!context.signal.aborted) setChildren(list, errorMessage(error, reload));
    }
}

function usedBy(servers) {
    return servers?.length ? `used by ${truncate(servers.join(", "), 120)}` : "not used";
}

function secretRow(secret, reload, isMissing = false) {
    const name = escapeInvisible(secret.name);
    const output = el("div", {});
    const replace = button(isMissing ? "Set…" : "Replace…", () => showValueForm(secret.name, output, reload), {
        class: isMissing ? "plain" : "quiet",
        "aria-label": `${isMissing ? "Set" : "Replace"} ${name}`,
    });
    const remove = button("Remove", () => confirmRemoval(secret, output, reload), {
        class: "quiet danger",
        "aria-label": `Remove ${name}`,
    });
    return el(
        "li",
        { class: "row", "data-secret": secret.name },
        el(
            "div",
            { class: "line plain" },
            externalText(truncate(secret.name, 80), "strong", { class: "code grow" }),
            el("span", { class: "faint" }, usedBy(secret.usedBy)),
            el("span", { class: "row-actions" }, replace, !isMissing && remove),
        ),
        output,
    );
}

/// An input for a value; it is emptied after it was sent.
function valueInput(id) {
    return el("input", { id, type: "password", autocomplete: "new-password", spellcheck: "false", required: true });
}

function showValueForm(name, output, reload) {
    const value = valueInput("secret-new-value");
    const form = el(
        "form",
        { class: "filters" },
        el("div", { class: "field" }, el("label", { for: value.id }, `New value of ${truncate(name, 60)}`), value),
        el("button", { type: "submit", class: "strong" }, "Store"),
        button("Cancel", () => setChildren(output), { class: "quiet" }),
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        void store(name, value, reload);
    });
    setChildren(output, form);
    value.focus();
}

function storeForm(reload) {
    const name = el("input", { id: "secret-name", placeholder: "BRAVE_API_KEY", autocomplete: "off", spellcheck: "false", required: true });
    const value = valueInput("secret-value");
    const form = el(
        "form",
        { class: "filters card", id: "store-secret" },
        el("div", { class: "field" }, el("label", { for: name.id }, "Name"), name),
        el("div", { class: "field" }, el("label", { for: value.id }, "Value"), value),
        el("button", { type: "submit", class: "strong" }, "Store"),
    );
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        void store(name.value.trim(), value, reload);
    });
    return form;
}

async function store(name, input, reload) {
    const value = input.value;
    input.value = "";
    const isStored = await withErrorToast(
        () => put(path`/api/secrets/${name}`, { value }).then(() => true),
        `Stored ${escapeInvisible(name)}`,
    );
    if (isStored) await reload();
    else input.focus();
}

function confirmRemoval(secret, output, reload) {
    const name = escapeInvisible(secret.name);
    const remove = async () => {
        await withErrorToast(() => del(path`/api/secrets/${secret.name}`), `Removed ${name}`);
        await reload();
    };
    const effect = secret.usedBy?.length ? `Servers that need it stop working: ${truncate(secret.usedBy.join(", "), 120)}.` : "No server uses it.";
    confirmAction(output, `Remove ${name}`, effect, remove);
}
