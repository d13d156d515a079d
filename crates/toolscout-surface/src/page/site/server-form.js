// The dialog that adds or edits a server: a command, or a URL. It can be tested before it is saved.

import { path, post, put } from "./api.js";
import { testResult, toast, withCode } from "./components.js";
import { announce, button, el, setChildren } from "./dom.js";
import { escapeInvisible, truncate } from "./format.js";

/// Asks for a server; tells when one was added.
export function open(added) {
    const fields = makeFields();
    const problem = el("div", { role: "alert", class: "wrong" });
    const form = el("form", { class: "stack", method: "dialog", novalidate: true }, fields.nodes, problem);
    const dialog = el(
        "dialog",
        { "aria-labelledby": "add-title", id: "add-dialog" },
        el("h2", { id: "add-title" }, title),
        form.node,
    );
    form.append(
        el(
            "div",
            { class: "actions end" },
            button("Cancel", () => dialog.close(), { class: "quiet" }),
            el("button", { type: "submit", class: "strong" }, "Add"),
        ),
    );
    form.node.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (await send(fields, problem)) {
            dialog.close();
            await added();
        }
    });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    fields.id.focus();
}

function makeFields() {
    const id = el("input", {
        id: "add-id",
        required: true,
        spellcheck: "false",
        autocomplete: "off",
        placeholder: "files",
    });
    const run = el("input", {
        id: "add-run",
        spellcheck: "false",
        autocomplete: "off",
        placeholder: "npx -y @modelcontextprotocol/server-filesystem .",
    });
    const url = el("input", {
        id: "add-url",
        type: "url",
        spellcheck: "false",
        placeholder: "https://mcp.example.com/mcp",
    });
    const env = el("textarea", {
        id: "add-env",
        rows: "2",
        spellcheck: "false",
        placeholder: "API_KEY=env:MY_API_KEY",
    });
    const headers = el("textarea", {
        id: "add-headers",
        rows: "2",
        spellcheck: "false",
        placeholder: "Authorization: Bearer ${TOKEN}",
    });
    const program = el(
        "div",
        { class: "stack" },
        field("Command", run, "As you would type it. No shell is involved."),
        field("Variables", env, "One per line. A reference such as `env:NAME` keeps the value out of the file."),
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
    const nodes = [field("Name", id, "Its tools are called `name/tool`."), kinds.node, program, web];
    return { id, run, url, env, headers, isWeb: kinds.isWeb, nodes };
}

function field(label, input, hint) {
    const about = hint && el("span", { class: "faint", id: `${input.id}-hint` }, ticked(hint));
    if (about) input.setAttribute("aria-describedby", about.id);
    return el("div", { class: "field" }, el("label", { for: input.id }, label), input, about);
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

async function send(fields, problem) {
    replace(problem);
    const entry = read(fields);
    try {
        await post("/api/servers", entry);
        toast(`${shown(entry.id)} added; loading its tools`);
        return true;
    } catch (error) {
        replace(
            problem,
            el("p", {}, shown(error.message)),
            error.hint && el("p", { class: "hint" }, ticked(shown(error.hint))),
        );
        announce(error.message);
        fields.id.focus();
        return false;
    }
}

function read(fields) {
    const id = fields.id.value.trim();
    if (fields.isWeb()) return { id, url: fields.url.value.trim(), headers: pairs(fields.headers.value, ":") };
    const [command, ...args] = words(fields.run.value);
    return { id, command: command ?? "", args, env: pairs(fields.env.value, "=") };
}

function pairs(text, between) {
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

/// Cuts a command line into words as a shell does, and does nothing else that a shell does.
export function words(text) {
    const found = [...text.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map((it) => it[0]);
    return found.map((it) =>
        it.replace(
            /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
            (_, double, single, escaped) => double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped,
        ),
    );
}
