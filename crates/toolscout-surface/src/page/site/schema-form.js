// A form generated from a JSON Schema. Values without a suitable input are entered as JSON.

import { button, el, setChildren, uniqueId } from "./dom.js";
import { decodeUrlPart, escapeInvisible, prettyJson, truncate } from "./format.js";

const MAX_DEPTH = 3;
/// The fields of a whole form. Objects beyond them are entered as JSON.
const MAX_FIELDS = 200;
const MAX_REFERENCES = 8;
/// Names of parameters that usually have long texts.
const LONG_TEXT = /^(body|text|content|message|code|query|sql|prompt|description|html|markdown|input|script)$/i;

/// A form with its `node`, its `value()`, and `validate()`, which marks invalid fields and returns whether there is none.
export function schemaForm(schema) {
    const root = { schema, fieldsLeft: MAX_FIELDS };
    const fields = createFields(resolve(schema, root), root, 0);
    const noArguments = fields.length === 0 && el("p", { class: "faint" }, "This tool takes no arguments.");
    return {
        node: el(
            "div",
            { class: "stack" },
            noArguments,
            fields.map((field) => field.node),
        ),
        value: () => readAll(fields),
        validate: () => validateAll(fields),
    };
}

/// The fields of an object, required ones first.
function createFields(schema, root, depth) {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const properties = Object.entries(schema.properties ?? {}).slice(0, root.fieldsLeft);
    root.fieldsLeft -= properties.length;
    const fields = properties.map(([name, property]) =>
        createField(name, resolve(property, root), required.has(name), root, depth),
    );
    return [...fields.filter((field) => field.isRequired), ...fields.filter((field) => !field.isRequired)];
}

function readAll(fields) {
    const values = fields.map((field) => [field.name, field.read().value]);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function validateAll(fields) {
    const invalid = fields.filter((field) => !field.validate());
    invalid[0]?.focus();
    return invalid.length === 0;
}

/// Resolves references within the schema, and unions of one type and null.
function resolve(schema, root, depth = 0) {
    if (typeof schema !== "object" || schema === null || depth > MAX_REFERENCES) return {};
    if (typeof schema.$ref === "string" && schema.$ref.startsWith("#/")) {
        const keys = schema.$ref
            .slice(2)
            .split("/")
            .map((key) => decodeUrlPart(key).replaceAll("~1", "/").replaceAll("~0", "~"));
        const step = (value, key) => (value && Object.hasOwn(value, key) ? value[key] : undefined);
        const target = keys.reduce(step, root.schema);
        return { ...resolve(target, root, depth + 1), ...without(schema, "$ref") };
    }
    const union = schema.anyOf ?? schema.oneOf;
    const types = Array.isArray(union) ? union.filter((type) => type?.type !== "null") : [];
    if (types.length === 1) return { ...resolve(types[0], root, depth + 1), ...without(schema, "anyOf", "oneOf") };
    return schema;
}

function without(schema, ...names) {
    return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}

function typeOf(schema) {
    if (Array.isArray(schema.enum) || "const" in schema) return "enum";
    const types = [schema.type].flat().filter((type) => type && type !== "null");
    if (types.length === 1) return types[0];
    return schema.properties ? "object" : "any";
}

function createField(name, schema, isRequired, root, depth) {
    const type = typeOf(schema);
    if (type === "object" && schema.properties && depth < MAX_DEPTH && root.fieldsLeft > 0)
        return objectField(name, schema, isRequired, root, depth);
    if (type === "array" && isSimple(resolve(schema.items ?? {}, root)))
        return arrayField(name, schema, isRequired, root);
    return inputField(name, schema, isRequired, createInput(type, name, schema));
}

function isSimple(schema) {
    return ["string", "number", "integer", "enum"].includes(typeOf(schema));
}

/// An input with its label, description and error.
function inputField(name, schema, isRequired, { control, read }) {
    const description = el(
        "span",
        { class: "faint external", id: uniqueId("description") },
        truncate(schema.description, 400),
        constraints(schema),
    );
    const errorNode = el("span", { class: "error", id: uniqueId("error") });
    control.id = uniqueId("field");
    control.setAttribute("aria-describedby", `${description.id} ${errorNode.id}`);
    if (isRequired) control.setAttribute("aria-required", "true");
    const setError = (text) => {
        errorNode.textContent = text ?? "";
        if (text) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
        return !text;
    };
    const validate = () => {
        const { value, error } = read();
        return setError(error ?? (value === undefined && isRequired ? "Required" : undefined));
    };
    control.addEventListener("input", () => setError());
    const label = fieldLabel(name, control.id, isRequired, schema);
    const node = el("div", { class: "field" }, label, control, description, errorNode);
    return { name, isRequired, node, read, validate, focus: () => control.focus() };
}

function fieldLabel(name, target, isRequired, schema) {
    const type = [schema.type].flat().filter(Boolean).join(" or ");
    return el(
        "label",
        { for: target },
        el("span", { class: "external" }, truncate(name, 80)),
        isRequired && el("span", { class: "required" }, " required"),
        type && el("span", { class: "type" }, ` ${truncate(type, 30)}`),
    );
}

function constraints({ minimum, maximum, maxLength, default: defaultValue }) {
    const parts = [];
    if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}`);
    else if (minimum !== undefined) parts.push(`at least ${minimum}`);
    else if (maximum !== undefined) parts.push(`at most ${maximum}`);
    if (maxLength !== undefined) parts.push(`at most ${maxLength} characters`);
    if (defaultValue !== undefined) parts.push(`default: ${truncate(JSON.stringify(defaultValue), 60)}`);
    return parts.length ? ` (${parts.join(", ")})` : "";
}

function createInput(type, name, schema) {
    if (type === "enum") return selectInput(Array.isArray(schema.enum) ? schema.enum : [schema.const]);
    if (type === "boolean") return selectInput([true, false]);
    if (type === "number" || type === "integer") return numberInput(type, schema);
    if (type === "string") return textInput(name, schema);
    return jsonInput(schema);
}

function selectInput(values) {
    const options = values
        .slice(0, 500)
        .map((value, index) =>
            el(
                "option",
                { value: String(index) },
                truncate(typeof value === "string" ? value : JSON.stringify(value), 120),
            ),
        );
    const control = el("select", {}, el("option", { value: "" }, "—"), options);
    return { control, read: () => ({ value: control.value === "" ? undefined : values[Number(control.value)] }) };
}

function numberInput(type, schema) {
    const control = el("input", {
        inputmode: type === "integer" ? "numeric" : "decimal",
        autocomplete: "off",
        placeholder: example(schema),
    });
    const read = () => {
        const text = control.value.trim();
        if (text === "") return {};
        const value = Number(text);
        if (!Number.isFinite(value)) return { error: "Not a number" };
        if (type === "integer" && !Number.isInteger(value)) return { error: "Not an integer" };
        if (Number.isInteger(value) && !Number.isSafeInteger(value))
            return { error: "Too large for this form. Edit the arguments as JSON." };
        return { value };
    };
    return { control, read };
}

function textInput(name, schema) {
    const isLong = (schema.maxLength ?? 0) > 200 || LONG_TEXT.test(name);
    const attributes = { autocomplete: "off", spellcheck: "false", placeholder: example(schema) };
    const control = isLong ? el("textarea", { rows: "3", ...attributes }) : el("input", attributes);
    // An empty input means no value. An empty string can be entered as JSON.
    return { control, read: () => ({ value: control.value === "" ? undefined : control.value }) };
}

function jsonInput(schema) {
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
            return { error: 'Not valid JSON. Write text in quotes: "like this".' };
        }
    };
    return { control, read };
}

function example(schema) {
    const value = schema.examples?.[0] ?? schema.default;
    if (value === undefined) return "";
    return truncate(typeof value === "string" ? value : prettyJson(value), 80);
}

/// An object with a field for each of its properties.
function objectField(name, schema, isRequired, root, depth) {
    const fields = createFields(schema, root, depth + 1);
    const node = fieldset(
        name,
        schema,
        isRequired,
        fields.map((field) => field.node),
    );
    const read = () => {
        const value = readAll(fields);
        return { value: isRequired || Object.keys(value).length ? value : undefined };
    };
    const isUsed = () => isRequired || read().value !== undefined;
    return { name, isRequired, node, read, validate: () => !isUsed() || validateAll(fields), focus: () => undefined };
}

/// A list of values with buttons to add and remove them.
function arrayField(name, schema, isRequired, root) {
    const itemSchema = resolve(schema.items ?? {}, root);
    const items = [];
    const list = el("div", { class: "stack tight" });
    const render = () =>
        setChildren(
            list,
            items.map((item) => item.node),
        );
    const addItem = () => {
        const item = createField(`${name} ${items.length + 1}`, itemSchema, true, root, MAX_DEPTH);
        const remove = () => {
            items.splice(items.indexOf(item), 1);
            render();
        };
        const label = `Remove ${escapeInvisible(item.name)}`;
        item.node.append(button("Remove", remove, { class: "quiet", "aria-label": label }));
        items.push(item);
        render();
        item.focus();
    };
    const add = button(`Add to ${truncate(name, 40)}`, addItem, { class: "quiet" });
    const node = fieldset(name, schema, isRequired, list, add);
    const read = () => {
        const values = items.map((item) => item.read().value).filter((value) => value !== undefined);
        return { value: items.length || isRequired ? values : undefined };
    };
    return { name, isRequired, node, read, validate: () => validateAll(items), focus: () => add.focus() };
}

function fieldset(name, schema, isRequired, ...children) {
    return el(
        "fieldset",
        { class: "nested" },
        el("legend", {}, escapeInvisible(name), isRequired && el("span", { class: "required" }, " required")),
        schema.description && el("p", { class: "faint external" }, truncate(schema.description, 400)),
        ...children,
    );
}
