// The dialog that adds or edits a server: a command, or a URL. It can be tested before it is saved.

import { path, post, put } from "./api.js";
import { loading, testResult, toast, withCode } from "./components.js";
import { announce, button, el, setChildren } from "./dom.js";
import { escapeInvisible, truncate } from "./format.js";

const REDACTED = "[REDACTED]";
/// Fields of the API and the inputs that show their errors.
const FIELDS = { id: "id", command: "command", args: "command", url: "url", env: "env", headers: "headers" };

/// Opens the dialog for a new server, or for `server`. Calls `onSaved` after it was saved.
export function open(onSaved, server) {
    const form = createForm(server);
    const title = server ? `Edit ${truncate(server.id, 40)}` : "Add server";
    const dialog = el(
        "dialog",
        { "aria-labelledby": "add-title", id: "add-dialog" },
        el("h2", { id: "add-title" }, title),
        form.node,
    );
    const save = el("button", { type: "submit", class: "strong" }, server ? "Save" : "Add");
    form.node.append(
        el(
            "div",
            { class: "actions end" },
            button("Cancel", () => dialog.close(), { class: "quiet" }),
            button("Test", () => test(form), { class: "plain", id: "test-server" }),
            save,
        ),
    );
    form.node.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (save.getAttribute("aria-disabled") === "true") return;
        save.setAttribute("aria-disabled", "true");
        const isSaved = await submit(form);
        save.removeAttribute("aria-disabled");
        if (!isSaved) return;
        dialog.close();
        await onSaved();
    });
    dialog.addEventListener("close", () => {
        form.controller.abort();
        dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
    (server ? form.isHttp() ? form.inputs.url : form.inputs.command : form.inputs.id).focus();
}

function createForm(server) {
    const input = (name, attributes) =>
        el("input", { id: name, spellcheck: "false", autocomplete: "off", ...attributes });
    const lines = (name, placeholder) => el("textarea", { id: name, rows: "3", spellcheck: "false", class: "code", placeholder });
    const inputs = {
        id: input("add-id", { required: true, placeholder: "files", readonly: Boolean(server) }),
        command: input("add-run", { placeholder: "npx -y @modelcontextprotocol/server-filesystem ." }),
        url: input("add-url", { type: "url", placeholder: "https://mcp.example.com/mcp" }),
        env: lines("add-env", "API_KEY=env:MY_API_KEY"),
        headers: lines("add-headers", "Authorization: Bearer ${TOKEN}"),
    };
    const initial = initialValues(server);
    const multiline = multilineFields(server);
    for (const [name, value] of Object.entries(initial)) {
        inputs[name].value = value;
        // An input removes line breaks.
        initial[name] = inputs[name].value;
    }
    const secrets = "For secrets, use a reference such as `env:NAME`, or store them under Secrets.";
    const kept = server ? ` Values shown as \`${REDACTED}\` are kept.` : "";
    const errors = {};
    const field = (name, label, hint) => {
        const [text, error] = [el("span", { class: "faint", id: `${inputs[name].id}-hint` }, withCode(hint)), el("span", { class: "error", id: `${inputs[name].id}-error` })];
        errors[name] = error;
        inputs[name].setAttribute("aria-describedby", `${text.id} ${error.id}`);
        inputs[name].addEventListener("input", () => setError({ inputs, errors }, name));
        return el("div", { class: "field" }, el("label", { for: inputs[name].id }, label), inputs[name], error, text);
    };
    const stdioFields = el(
        "div",
        { class: "stack" },
        field("command", "Command", "The command line of the server. It does not run in a shell."),
        field("env", "Environment variables", `One per line. ${secrets}${kept}`),
    );
    const httpFields = el(
        "div",
        { class: "stack", hidden: true },
        field("url", "URL", "The address of its MCP endpoint."),
        field("headers", "Headers", `One per line. ${secrets}${kept}`),
    );
    const transport = transportChoice(Boolean(server?.url), (isHttp) => {
        stdioFields.hidden = isHttp;
        httpFields.hidden = !isHttp;
    });
    const [general, result] = [el("div", { role: "alert", class: "error" }), el("div", { "aria-live": "polite" })];
    const node = el(
        "form",
        { class: "stack", method: "dialog", novalidate: true },
        field("id", "ID", server ? "The id cannot be changed." : "Its tools are named `id/tool`."),
        transport.node,
        stdioFields,
        httpFields,
        general,
        result,
    );
    return { server, inputs, errors, initial, multiline, general, result, node, isHttp: transport.isHttp, controller: new AbortController() };
}

/// The values of the fields before the first edit.
function initialValues(server) {
    if (!server) return {};
    const pairs = (map, separator) => Object.entries(map ?? {}).map(([name, value]) => `${name}${separator}${value}`).join("\n");
    return {
        id: server.id,
        command: [server.command, ...(server.args ?? [])].filter((word) => word !== undefined).map(quote).join(" "),
        url: server.url ?? "",
        env: pairs(server.env, "="),
        headers: pairs(server.headers, ": "),
    };
}

/// The fields with a value of several lines, which the form cannot show.
function multilineFields(server) {
    const values = {
        command: [server?.command, ...(server?.args ?? [])],
        env: Object.values(server?.env ?? {}),
        headers: Object.values(server?.headers ?? {}),
    };
    const hasLines = (value) => typeof value === "string" && value.includes("\n");
    return Object.keys(values).filter((name) => values[name].some(hasLines));
}

function transportChoice(isHttp, onChange) {
    const radio = (value, label, checked) => {
        const input = el("input", { type: "radio", name: "add-transport", value, checked, id: `add-${value}` });
        input.addEventListener("change", () => onChange(value === "http"));
        return [input, el("label", { for: input.id }, label)];
    };
    const node = el(
        "fieldset",
        { class: "segments" },
        el("legend", {}, "Transport"),
        radio("stdio", "Command (stdio)", !isHttp),
        radio("http", "URL (HTTP)", isHttp),
    );
    onChange(isHttp);
    return { node, isHttp: () => node.querySelector("#add-http").checked };
}

function setError({ inputs, errors }, name, text) {
    errors[name].textContent = text ?? "";
    if (text) inputs[name].setAttribute("aria-invalid", "true");
    else inputs[name].removeAttribute("aria-invalid");
}

/// Shows an error of the API beside the field that it names, or else below all fields.
function showError(form, error) {
    const named = [...error.message.matchAll(/`(\w+)`/g)].map(([, word]) => FIELDS[word]).find(Boolean);
    if (named) {
        setError(form, named, escapeInvisible(`${error.message}${error.hint ? `. ${error.hint.replaceAll("`", "")}` : ""}`));
        form.inputs[named].focus();
    } else {
        setChildren(
            form.general,
            el("p", {}, escapeInvisible(error.message)),
            error.hint && el("p", { class: "hint" }, withCode(escapeInvisible(error.hint))),
        );
    }
    announce(error.message);
}

/// The settings to send: all of a new server, the changed ones of another. Undefined if a field is invalid.
function readSettings(form) {
    const { server, inputs, initial } = form;
    Object.keys(inputs).forEach((name) => setError(form, name));
    setChildren(form.general);
    const required = form.isHttp() ? "url" : "command";
    const missing = ["id", required].find((name) => !inputs[name].value.trim());
    if (missing) return void invalid(form, missing, "Required");
    const isChanged = (name) => !server || inputs[name].value !== (initial[name] ?? "");
    const lost = form.multiline.find((name) => isChanged(name));
    if (lost) return void invalid(form, lost, "A value has several lines, which this form cannot write. Edit it in the configuration file.");
    const isOther = server && form.isHttp() !== Boolean(server.url);
    if ((isChanged(required) || isOther) && inputs[required].value.includes(REDACTED))
        return void invalid(form, required, `Replace ${REDACTED}: write the value again, or a reference such as env:NAME`);
    const settings = {};
    if (form.isHttp()) {
        if (isChanged("url") || isOther) settings.url = inputs.url.value.trim();
        if (isChanged("headers")) settings.headers = parsePairs(inputs.headers.value, ":");
        return settings;
    }
    if (isChanged("command") || isOther) readCommand(settings, inputs.command.value);
    if (isChanged("env")) settings.env = parsePairs(inputs.env.value, "=");
    return settings;
}

function readCommand(settings, text) {
    const [command, ...args] = splitCommandLine(text);
    Object.assign(settings, { command, args });
}

function invalid(form, name, text) {
    setError(form, name, text);
    form.inputs[name].focus();
}

async function test(form) {
    const settings = readSettings(form);
    if (!settings) return;
    setChildren(form.result, loading("Starting the server and loading its tools"));
    try {
        const id = form.inputs.id.value.trim();
        const result = await post(path`/api/servers/${id}/test`, settings, form.controller.signal);
        setChildren(form.result, testResult(result));
    } catch (error) {
        setChildren(form.result);
        if (!form.controller.signal.aborted) showError(form, error);
    }
}

/// Saves the server. Returns whether that succeeded.
async function submit(form) {
    const settings = readSettings(form);
    if (!settings) return false;
    const { server, inputs } = form;
    const id = inputs.id.value.trim();
    try {
        if (!server) await post("/api/servers", { id, ...settings });
        else if (Object.keys(settings).length > 0) {
            await put(path`/api/servers/${server.id}`, settings);
            await post("/api/refresh", { servers: [server.id], wait: false }).catch(() => undefined);
        }
        toast(server ? `Saved ${escapeInvisible(id)}. Loading its tools…` : `Added ${escapeInvisible(id)}. Loading its tools…`);
        return true;
    } catch (error) {
        showError(form, error);
        return false;
    }
}

function parsePairs(text, separator) {
    const lines = text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    return Object.fromEntries(
        lines.map((line) => {
            const index = line.indexOf(separator);
            return index < 0 ? [line, ""] : [line.slice(0, index).trim(), line.slice(index + 1).trim()];
        }),
    );
}

/// A word as `splitCommandLine` reads it back.
function quote(word) {
    if (/^[^\s"'\\]+$/.test(word)) return word;
    return word.includes("'") ? `"${word.replace(/["\\]/g, "\\$&")}"` : `'${word}'`;
}

/// Splits a command line into words with the quoting rules of a shell. Nothing else is expanded.
function splitCommandLine(text) {
    const matches = [...text.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)];
    return matches.map(([word]) =>
        word.replace(
            /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
            (_, double, single, escaped) => double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped,
        ),
    );
}
