// A form made from a JSON Schema. What it cannot say as fields it asks for as JSON.

import { button, el, fresh, replace } from "./dom.js";
import { line, pretty, shown } from "./words.js";

const DEEPEST = 3;
const LONG = /^(body|text|content|message|code|query|sql|prompt|description|html|markdown|input|script)$/i;

/// `node` to show, `value()` to send, `check()` which says whether all is well and marks what is not.
export function formOf(schema) {
    const root = { schema, seen: 0 };
    const fields = fieldsOf(resolve(schema, root), root, 0);
    const none = fields.length === 0 && el("p", { class: "faint" }, "It takes no arguments.");
    return {
        node: el(
            "div",
            { class: "stack" },
            none,
            fields.map((it) => it.node),
        ),
        isEmpty: fields.length === 0,
        value: () => valueOf(fields),
        check: () => checkAll(fields),
    };
}

function fieldsOf(schema, root, depth) {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const entries = Object.entries(schema.properties ?? {}).slice(0, 200);
    const made = entries.map(([name, it]) => fieldOf(name, resolve(it, root), required.has(name), root, depth));
    // What has to be there first.
    return [...made.filter((it) => it.isRequired), ...made.filter((it) => !it.isRequired)];
}

function valueOf(fields) {
    return Object.fromEntries(fields.map((it) => [it.name, it.read().value]).filter(([, it]) => it !== undefined));
}

function checkAll(fields) {
    const wrong = fields.filter((it) => !it.check());
    wrong[0]?.focus();
    return wrong.length === 0;
}

/// Follows references within the schema, and what is one thing or nothing.
function resolve(schema, root, steps = 0) {
    if (typeof schema !== "object" || schema === null || steps > 8) return {};
    if (typeof schema.$ref === "string" && schema.$ref.startsWith("#/")) {
        const parts = schema.$ref
            .slice(2)
            .split("/")
            .map((it) => decodeURIComponent(it).replaceAll("~1", "/").replaceAll("~0", "~"));
        const found = parts.reduce((at, it) => (at && Object.hasOwn(at, it) ? at[it] : undefined), root.schema);
        return { ...resolve(found, root, steps + 1), ...without(schema, "$ref") };
    }
    const either = schema.anyOf ?? schema.oneOf;
    const real = Array.isArray(either) ? either.filter((it) => it?.type !== "null") : [];
    if (real.length === 1) return { ...resolve(real[0], root, steps + 1), ...without(schema, "anyOf", "oneOf") };
    return schema;
}

function without(schema, ...names) {
    return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}

function typeOf(schema) {
    if (Array.isArray(schema.enum) || "const" in schema) return "enum";
    const types = [schema.type].flat().filter((it) => it && it !== "null");
    if (types.length === 1) return types[0];
    return schema.properties ? "object" : "any";
}

function fieldOf(name, schema, isRequired, root, depth) {
    const kind = typeOf(schema);
    if (kind === "object" && schema.properties && depth < DEEPEST) return group(name, schema, isRequired, root, depth);
    if (kind === "array" && isSimple(resolve(schema.items ?? {}, root))) return many(name, schema, isRequired, root);
    const input = inputOf(kind, name, schema, isRequired);
    return field(name, schema, isRequired, input);
}

function isSimple(schema) {
    return ["string", "number", "integer", "enum"].includes(typeOf(schema));
}

/// One input with its label, what it is for, and what is wrong with it.
function field(name, schema, isRequired, { control, read }) {
    const about = el(
        "span",
        { class: "faint said", id: fresh("about") },
        line(schema.description, 400),
        bounds(schema),
    );
    const problem = el("span", { class: "wrong", id: fresh("wrong") });
    control.id = fresh("field");
    control.setAttribute("aria-describedby", `${about.id} ${problem.id}`);
    if (isRequired) control.setAttribute("aria-required", "true");
    const mark = (text) => {
        problem.textContent = text ?? "";
        if (text) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
        return !text;
    };
    const check = () => {
        const { value, wrong } = read();
        return mark(wrong ?? (value === undefined && isRequired ? "Required" : undefined));
    };
    control.addEventListener("input", () => mark());
    const node = el("div", { class: "field" }, label(name, control.id, isRequired, schema), control, about, problem);
    return { name, isRequired, node, read, check, focus: () => control.focus() };
}

function label(name, target, isRequired, schema) {
    const type = [schema.type].flat().filter(Boolean).join(" or ");
    return el(
        "label",
        { for: target },
        el("span", { class: "said" }, line(name, 80)),
        isRequired && el("span", { class: "required" }, " required"),
        type && el("span", { class: "type" }, ` ${line(type, 30)}`),
    );
}

function bounds(schema) {
    const parts = [];
    if (schema.minimum !== undefined || schema.maximum !== undefined)
        parts.push(`${schema.minimum ?? "…"} to ${schema.maximum ?? "…"}`);
    if (schema.maxLength !== undefined) parts.push(`at most ${schema.maxLength} characters`);
    if (schema.default !== undefined) parts.push(`${line(JSON.stringify(schema.default), 60)} by default`);
    return parts.length ? ` (${parts.join(", ")})` : "";
}

function inputOf(kind, name, schema) {
    if (kind === "enum") return choice(schema.enum ?? [schema.const]);
    if (kind === "boolean") return choice([true, false]);
    if (kind === "number" || kind === "integer") return numeric(kind, schema);
    if (kind === "string") return words(name, schema);
    return json(schema);
}

function choice(values) {
    const options = values
        .slice(0, 500)
        .map((it, at) =>
            el("option", { value: String(at) }, line(typeof it === "string" ? it : JSON.stringify(it), 120)),
        );
    const control = el("select", {}, el("option", { value: "" }, "—"), options);
    return { control, read: () => ({ value: control.value === "" ? undefined : values[Number(control.value)] }) };
}

function numeric(kind, schema) {
    const control = el("input", {
        inputmode: kind === "integer" ? "numeric" : "decimal",
        autocomplete: "off",
        placeholder: example(schema),
    });
    const read = () => {
        const text = control.value.trim();
        if (text === "") return {};
        const value = Number(text);
        if (!Number.isFinite(value)) return { wrong: "Not a number" };
        if (kind === "integer" && !Number.isInteger(value)) return { wrong: "Must be a whole number" };
        if (Number.isInteger(value) && !Number.isSafeInteger(value))
            return { wrong: "Write a number this large as JSON" };
        return { value };
    };
    return { control, read };
}

function words(name, schema) {
    const isLong = (schema.maxLength ?? 0) > 200 || LONG.test(name);
    const more = { autocomplete: "off", spellcheck: "false", placeholder: example(schema) };
    const control = isLong ? el("textarea", { rows: "3", ...more }) : el("input", more);
    // An empty text is none: who means it writes JSON.
    return { control, read: () => ({ value: control.value === "" ? undefined : control.value }) };
}

function json(schema) {
    const control = el("textarea", {
        rows: "3",
        class: "code",
        spellcheck: "false",
        placeholder: example(schema) || "JSON",
    });
    const read = () => {
        const text = control.value.trim();
        if (text === "") return {};
        try {
            return { value: JSON.parse(text) };
        } catch {
            return { wrong: 'This is not JSON. A text stands in quotes: "like this".' };
        }
    };
    return { control, read };
}

function example(schema) {
    const value = schema.examples?.[0] ?? schema.default;
    if (value === undefined) return "";
    return line(typeof value === "string" ? value : pretty(value), 80);
}

/// An object whose members are fields of their own.
function group(name, schema, isRequired, root, depth) {
    const fields = fieldsOf(schema, root, depth + 1);
    const node = el(
        "fieldset",
        { class: "nested" },
        el("legend", {}, shown(name), isRequired && el("span", { class: "required" }, " required")),
        schema.description && el("p", { class: "faint said" }, line(schema.description, 400)),
        fields.map((it) => it.node),
    );
    const read = () => {
        const value = valueOf(fields);
        return { value: isRequired || Object.keys(value).length ? value : undefined };
    };
    const isTouched = () => isRequired || read().value !== undefined;
    return { name, isRequired, node, read, check: () => !isTouched() || checkAll(fields), focus: () => undefined };
}

/// A list to which values are added one by one.
function many(name, schema, isRequired, root) {
    const each = resolve(schema.items ?? {}, root);
    const rows = [];
    const list = el("div", { class: "stack tight" });
    const draw = () =>
        replace(
            list,
            rows.map((it) => it.node),
        );
    const add = () => {
        const row = fieldOf(`${name} ${rows.length + 1}`, each, true, root, DEEPEST);
        row.node.append(
            button(
                "Remove",
                () => {
                    rows.splice(rows.indexOf(row), 1);
                    draw();
                },
                { class: "quiet", "aria-label": `Remove ${shown(row.name)}` },
            ),
        );
        rows.push(row);
        draw();
        row.focus();
    };
    const more = button(`Add to ${line(name, 40)}`, add, { class: "quiet" });
    const problem = el("span", { class: "wrong", role: "alert" });
    const node = el(
        "fieldset",
        { class: "nested" },
        el("legend", {}, shown(name), isRequired && el("span", { class: "required" }, " required")),
        schema.description && el("p", { class: "faint said" }, line(schema.description, 400)),
        list,
        more,
        problem,
    );
    const read = () => ({
        value:
            rows.length || isRequired ? rows.map((it) => it.read().value).filter((it) => it !== undefined) : undefined,
    });
    return { name, isRequired, node, read, check: () => checkAll(rows), focus: () => more.focus() };
}
