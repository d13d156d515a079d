// Loads one module and lists its tools or calls one of them. Started by toolscout, in node, bun or deno.
//
// The request comes on stdin as one JSON object; the answer is the one line on stdout that starts with its nonce.

import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { format, inspect } from "node:util";

const write = process.stdout.write.bind(process.stdout);
const exit = process.exit.bind(process);

async function readRequest() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

// The module may have left half a line behind; timers and servers it started must not keep us.
function answer(nonce, value) {
  write(`\n${nonce}${JSON.stringify(value)}\n`, () => exit(0));
}

const message = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

// The line of the module that an error came from, where it says so.
function whereOf(error, file) {
  const line = `${error?.stack ?? ""}\n${inspect(error)}`.split("\n").find((it) => it.includes(basename(file)));
  const numbers = line && /:(\d+(:\d+)?)\)?\s*$/.exec(line);
  return numbers ? ` (line ${numbers[1].split(":")[0]})` : "";
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// ---- Which exports are tools ----------------------------------------------------------------------------------------

const HANDLERS = ["handler", "execute", "run"];
const SCHEMAS = ["inputSchema", "parameters", "schema", "args", "input_schema"];
const firstOf = (value, keys) => keys.find((key) => value[key] !== undefined);

// A namespace sorts its names; people expect them as written.
function namesInOrder(space, source) {
  const position = (name) => {
    const plain = name.replace(/[$]/g, "\\$&");
    const forms = [
      `\\bexport\\s+(?:async\\s+)?(?:const|let|var|class|function\\s*\\*?)\\s+${plain}\\b`,
      `\\bexport\\s*\\{[^}]*\\b${plain}\\b`,
      `\\bexports\\.${plain}\\b`,
      `\\bmodule\\.exports\\s*=\\s*\\{[^}]*\\b${plain}\\b`,
    ];
    const ends = forms.map((form) => new RegExp(form).exec(source)).filter(Boolean);
    return Math.min(...ends.map((found) => found.index + found[0].length), Number.MAX_SAFE_INTEGER);
  };
  const names = Object.keys(space).filter((name) => !["default", "__esModule", "module.exports"].includes(name));
  return names.map((name) => [position(name), name]).sort((a, b) => a[0] - b[0]).map(([, name]) => name);
}

function* exportsOf(space, source) {
  const whole = space.default?.__esModule ? space.default : space;
  const seen = new Set();
  const each = function* (label, exported, value) {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) yield* each(`${label}[${at}]`, exported, item);
    } else if (isObject(value) && !seen.has(value)) {
      seen.add(value);
      yield { label, exported, value };
    }
  };
  if (whole.default !== undefined) {
    yield* each("the default export", "default", whole.default);
    // `module.exports = { one, two }` and `export default { one, two }`.
    if (isObject(whole.default) && !looksMeant(whole.default, false)) {
      for (const [name, value] of Object.entries(whole.default)) yield* each(`\`${name}\``, name, value);
    }
  }
  for (const name of namesInOrder(whole, source)) yield* each(`export \`${name}\``, name, whole[name]);
}

// Two pieces of the three make an export clearly meant as a tool, so that lacking the third is worth a word.
function looksMeant(value, opencode) {
  const named = value.name !== undefined || (opencode && value.description !== undefined);
  const pieces = [named, firstOf(value, HANDLERS), firstOf(value, SCHEMAS)];
  return pieces.filter(Boolean).length >= 2;
}

function toolOf({ label, exported, value }, stem, opencode) {
  const handler = firstOf(value, HANDLERS);
  const schema = firstOf(value, SCHEMAS);
  const fallback = exported === "default" ? stem : opencode ? `${stem}_${exported}` : undefined;
  const name = value.name ?? fallback;
  if (name === undefined) throw new Error(`${label} has no \`name\``);
  if (typeof name !== "string") throw new Error(`${label}: \`name\` is not a string`);
  if (!handler) throw new Error(`${label} (\`${name}\`) has no \`handler\` or \`execute\``);
  if (typeof value[handler] !== "function") throw new Error(`${label} (\`${name}\`): \`${handler}\` is not a function`);
  if (!schema) throw new Error(`${label} (\`${name}\`) has no \`inputSchema\``);
  if (!isObject(value[schema])) {
    const kind = Array.isArray(value[schema]) ? "a list" : `a ${typeof value[schema]}`;
    throw new Error(`${label} (\`${name}\`): \`${schema}\` is ${kind}, not a schema`);
  }
  return { name, value, run: value[handler].bind(value), schema: value[schema], schemaKey: schema };
}

// A module that is itself one tool: `export const schema` and `export function execute`, or a default function. The
// comments of the file, which toolscout has read, describe what the exports do not.
function moduleTool(space, stem, described) {
  const whole = space.default?.__esModule ? space.default : space;
  const key = ["execute", "run", "handler", "default"].find((it) => typeof whole[it] === "function");
  if (!key) return undefined;
  const own = (it) => (it === "default" ? undefined : whole[it]);
  const schemaKey = SCHEMAS.find((it) => isObject(own(it)));
  const text = (it) => (typeof own(it) === "string" ? own(it) : undefined);
  const value = {
    title: text("title") ?? described.title,
    description: text("description") ?? described.description,
    keywords: Array.isArray(own("keywords")) ? own("keywords") : described.keywords,
    outputSchema: own("outputSchema"),
    annotations: isObject(own("annotations")) ? own("annotations") : undefined,
    timeout: own("timeout"),
  };
  const schema = schemaKey ? whole[schemaKey] : described.inputSchema;
  const positional = schemaKey ? undefined : described.positional;
  const run = positional
    ? (input, context) => whole[key](...positional.map((it) => input[it]), context)
    : (input, context) => whole[key](input, context);
  const used = new Set([key, schemaKey, ...Object.keys(value), "name"]);
  return { tool: { name: text("name") ?? described.name ?? stem, value, run, schema: schema ?? undefined }, used };
}

function toolsOf(space, request) {
  const opencode = request.flavour === "opencode";
  const stem = basename(request.file, extname(request.file));
  const whole = opencode ? undefined : moduleTool(space, stem, request.described ?? {});
  const entries = [];
  for (const found of exportsOf(space, readFileSync(request.file, "utf8"))) {
    if (whole?.used.has(found.exported) || !looksMeant(found.value, opencode)) continue;
    try {
      entries.push({ tool: toolOf(found, stem, opencode) });
    } catch (error) {
      entries.push({ problem: error.message });
    }
  }
  // `module.exports = { schema, execute }` is seen as a default export and as two named ones.
  const isListed = entries.some((it) => it.tool?.name === whole?.tool.name);
  const isHelper = entries.length > 0 && !whole?.tool.schema;
  if (whole && !isListed && !isHelper) entries.unshift({ tool: whole.tool });
  return entries;
}

// ---- Schemas --------------------------------------------------------------------------------------------------------

const isZod4 = (schema) => isObject(schema) && isObject(schema._zod);
const isZod3 = (schema) => isObject(schema) && typeof schema._def?.typeName === "string";
const isZod = (schema) => isZod4(schema) || isZod3(schema);
const isShape = (schema) => !("type" in schema && !isZod(schema.type)) && Object.values(schema).every(isZod);
const isStandard = (schema) => typeof schema["~standard"]?.jsonSchema?.input === "function";

// The argument tables of command-line libraries: `{ url: { type: "string", required: true } }`.
const isTable = (schema) =>
  typeof schema.type !== "string" && !schema.properties && !schema.$ref && !schema.anyOf && !schema.oneOf && !schema.allOf &&
  Object.values(schema).length > 0 && Object.values(schema).every((it) => isObject(it) && typeof it.type === "string");

function jsonSchemaOf(tool, file) {
  const { schema } = tool;
  if (isZod(schema)) return fromZod(schema, file);
  if (isStandard(schema)) return schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  if (Object.keys(schema).length === 0) return { type: "object", properties: {} };
  if (isShape(schema)) return fromShape(schema, (it) => fromProperty(it, file));
  if (isTable(schema)) return fromTable(schema);
  return schema;
}

// Converted alone, a property would say again which schema language it is in, and that it may be undefined.
function fromProperty(schema, file) {
  const def = defOf(schema);
  const { $schema, ...converted } = fromZod(def.kind === "optional" ? innerOf(def) : schema, file);
  return schema.description ? { ...converted, description: schema.description } : converted;
}

function fromShape(shape, convert) {
  const properties = Object.fromEntries(Object.entries(shape).map(([name, it]) => [name, convert(it)]));
  const required = Object.keys(shape).filter((name) => !isOptional(shape[name]));
  return { type: "object", properties, ...(required.length ? { required } : {}) };
}

function fromTable(table) {
  const properties = {};
  for (const [name, { type, required, short, choices, multiple, ...rest }] of Object.entries(table)) {
    const one = type === "enum" || type === "custom" ? { type: "string" } : { type };
    if (choices) one.enum = choices;
    properties[name] = multiple ? { type: "array", items: one, ...rest } : { ...one, ...rest };
  }
  const required = Object.keys(table).filter((name) => table[name].required === true);
  return { type: "object", properties, ...(required.length ? { required } : {}) };
}

function fromZod(schema, file) {
  const libraries = isZod4(schema) ? ["zod", "zod/v4", "zod/v4/core"] : ["zod-to-json-schema"];
  const describe = ({ zodSchema, jsonSchema }) => {
    if (zodSchema.description && !jsonSchema.description) jsonSchema.description = zodSchema.description;
  };
  const options = { io: "input", unrepresentable: "any", override: describe };
  const ways = [() => isZod4(schema) && schema.toJSONSchema?.(options)];
  for (const name of libraries) {
    ways.push(() => {
      const library = createRequire(file)(name);
      return (library.toJSONSchema ?? library.zodToJsonSchema)?.(schema, isZod4(schema) ? options : { $refStrategy: "none" });
    });
  }
  for (const way of ways) {
    try {
      const converted = way();
      if (converted) return converted;
    } catch {
      // Not installed, or too old for it; the next way may work.
    }
  }
  return convertZod(schema);
}

// Both generations keep the same things under other names.
function defOf(schema) {
  if (isZod4(schema)) return { ...schema._zod.def, kind: schema._zod.def.type };
  return { ...schema._def, kind: schema._def.typeName.replace(/^Zod/, "").toLowerCase() };
}

const shapeOf = (def) => (typeof def.shape === "function" ? def.shape() : def.shape);
const innerOf = (def) => def.innerType ?? def.schema ?? def.in ?? def.type;

function isOptional(schema) {
  const def = defOf(schema);
  if (["optional", "default", "prefault", "catch"].includes(def.kind)) return true;
  if (["nullable", "effects", "readonly", "branded", "pipe", "pipeline", "nonoptional"].includes(def.kind)) {
    return def.kind !== "nonoptional" && isZod(innerOf(def)) && isOptional(innerOf(def));
  }
  return false;
}

function convertZod(schema) {
  const converted = convertPlain(schema);
  const description = schema.description ?? schema._def?.description;
  return description ? { ...converted, description } : converted;
}

const typeOf = (value) => (value === null ? "null" : typeof value);
function withType(values) {
  const types = [...new Set(values.map(typeOf))];
  const named = types.length === 1 && ["string", "number", "boolean", "null"].includes(types[0]);
  return named ? { type: types[0] } : {};
}

function convertPlain(schema) {
  const def = defOf(schema);
  switch (def.kind) {
    case "string":
      return { type: "string", ...checksOf(def, { min: "minLength", max: "maxLength" }) };
    case "number":
    case "int": {
      const whole = def.kind === "int" || (def.checks ?? []).some((it) => it.kind === "int" || it._zod?.def?.format === "safeint");
      return { type: whole ? "integer" : "number", ...checksOf(def, { min: "minimum", max: "maximum" }) };
    }
    case "boolean":
      return { type: "boolean" };
    case "null":
      return { type: "null" };
    case "date":
      return { type: "string", format: "date-time" };
    case "literal": {
      const values = def.values ?? [def.value];
      return values.length === 1 ? { ...withType(values), const: values[0] } : { ...withType(values), enum: values };
    }
    case "enum":
    case "nativeenum": {
      const values = enumValues(def.entries ?? def.values);
      return { ...withType(values), enum: values };
    }
    case "array":
    case "set":
      return { type: "array", items: convertZod(def.element ?? def.valueType ?? def.type) };
    case "tuple":
      return { type: "array", prefixItems: def.items.map(convertZod), minItems: def.items.length };
    case "object":
      return { ...fromShape(shapeOf(def), convertZod), ...(isStrict(def) ? { additionalProperties: false } : {}) };
    case "record":
      return { type: "object", additionalProperties: convertZod(def.valueType) };
    case "union":
    case "discriminatedunion":
      return { anyOf: [...(def.options.values?.() ?? def.options)].map(convertZod) };
    case "intersection":
      return { allOf: [convertZod(def.left), convertZod(def.right)] };
    case "nullable":
      return { anyOf: [convertZod(innerOf(def)), { type: "null" }] };
    case "default":
    case "prefault": {
      const value = typeof def.defaultValue === "function" ? def.defaultValue() : def.defaultValue;
      return { ...convertZod(innerOf(def)), default: value };
    }
    default:
      // Optional, effects, transforms and their like mean what they wrap; what we do not know may be anything.
      return isZod(innerOf(def)) ? convertZod(innerOf(def)) : {};
  }
}

function enumValues(entries) {
  if (Array.isArray(entries)) return entries;
  // A numeric enum also maps its numbers back to their names.
  return Object.entries(entries).filter(([name]) => typeof entries[entries[name]] !== "number").map(([, value]) => value);
}

const isStrict = (def) => def.unknownKeys === "strict" || (isZod(def.catchall) && defOf(def.catchall).kind === "never" && def.unknownKeys === undefined);

function checksOf(def, names) {
  const found = {};
  for (const check of def.checks ?? []) {
    const known = check._zod?.def;
    const kind = known ? { min_length: "min", max_length: "max", greater_than: "min", less_than: "max" }[known.check] : check.kind;
    const value = known ? (known.minimum ?? known.maximum ?? known.value) : check.value;
    if (names[kind] && typeof value === "number") found[names[kind]] = value;
  }
  return found;
}

// ---- Calling --------------------------------------------------------------------------------------------------------

const at = (path) => (path ? `\`${path}\`` : "the input");
const join = (path, key) => (path ? `${path}.${key}` : String(key));

// The few rules every schema is written with; surfaces have checked the rest.
function problemsOf(schema, value, path = "") {
  if (!isObject(schema)) return [];
  const fits = {
    string: typeof value === "string", number: typeof value === "number", integer: Number.isInteger(value),
    boolean: typeof value === "boolean", null: value === null, array: Array.isArray(value), object: isObject(value),
  };
  const types = [schema.type ?? []].flat();
  if (types.length && !types.some((type) => fits[type] ?? true)) return [`${at(path)} must be of type ${types.join(" or ")}`];
  if (schema.enum && !schema.enum.some((it) => JSON.stringify(it) === JSON.stringify(value))) {
    return [`${at(path)} must be one of ${schema.enum.map((it) => JSON.stringify(it)).join(", ")}`];
  }
  if (Array.isArray(value)) return value.flatMap((it, index) => problemsOf(schema.items, it, join(path, index)));
  if (!isObject(value)) return [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const missing = (Array.isArray(schema.required) ? schema.required : []).filter((name) => !Object.hasOwn(value, name));
  const inner = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return [
    ...missing.map((name) => `${at(join(path, name))} is required`),
    ...inner.flatMap(([name, it]) => problemsOf(properties[name], it, join(path, name))),
  ];
}

const issuesOf = (issues, prefix) => issues.map((it) => `${at([...prefix, ...(it.path ?? [])].map((key) => key?.key ?? key).join("."))}: ${it.message}`);

// The input as the handler should get it, with defaults and transforms applied, or what is wrong with it.
async function checkedInput(tool, input, file) {
  const { schema } = tool;
  if (!schema) return { input };
  if (isZod(schema)) return parsed(schema, input, []);
  if (isStandard(schema)) {
    const result = await schema["~standard"].validate(input);
    return result.issues ? { problems: issuesOf(result.issues, []) } : { input: result.value };
  }
  if (Object.keys(schema).length > 0 && isShape(schema)) {
    const out = {};
    const problems = [];
    for (const [name, it] of Object.entries(schema)) {
      const result = await parsed(it, input[name], [name]);
      problems.push(...(result.problems ?? []));
      if (result.input !== undefined) out[name] = result.input;
    }
    return problems.length ? { problems } : { input: out };
  }
  const problems = problemsOf(jsonSchemaOf(tool, file), input);
  return problems.length ? { problems } : { input };
}

async function parsed(schema, input, prefix) {
  const parse = schema.safeParseAsync ?? schema.safeParse;
  if (typeof parse !== "function") return { input };
  const result = await parse.call(schema, input);
  return result.success ? { input: result.data } : { problems: issuesOf(result.error.issues ?? [], prefix) };
}

const textBlock = (text) => ({ content: [{ type: "text", text }] });
const failure = (text) => ({ ...textBlock(text), isError: true });

function resultOf(value, opencode) {
  if (value === undefined || value === null) return textBlock("");
  if (typeof value === "string") return textBlock(value);
  if (typeof value !== "object") return textBlock(String(value));
  if (opencode && typeof value.output === "string") {
    const { output, ...rest } = value;
    return { ...textBlock(output), ...(Object.keys(rest).length ? { _meta: rest } : {}) };
  }
  const isResult = Array.isArray(value.content) || (value.content === undefined && ("structuredContent" in value || typeof value.isError === "boolean"));
  if (!Array.isArray(value) && isResult) return value;
  const text = JSON.stringify(value);
  return text === undefined ? textBlock(String(value)) : { ...textBlock(text), structuredContent: JSON.parse(text) };
}

// Each message is one line on stderr that starts with the nonce; toolscout turns it into text and passes it on.
function logFor(request) {
  const plain = (it) => (it instanceof Error ? (it.stack ?? message(it)) : it);
  const write = (level, args) => {
    const fields = args.filter((it) => isObject(it) && !(it instanceof Error));
    const text = format(...args.filter((it) => !fields.includes(it)).map(plain));
    let entry;
    try {
      entry = JSON.stringify({ level, message: text, data: Object.assign({}, ...fields) });
    } catch {
      entry = JSON.stringify({ level, message: `${text} ${fields.map((it) => inspect(it)).join(" ")}` });
    }
    process.stderr.write(`${request.nonce}log ${entry}\n`);
  };
  const levels = ["trace", "debug", "info", "warn", "error", "fatal"];
  return Object.fromEntries(levels.map((level) => [level, (...args) => write(level, args)]));
}

// Aborts when the call is cancelled or its time is up: toolscout then sends SIGTERM, and half a second later SIGKILL.
function abortSignal() {
  const controller = new AbortController();
  process.on("SIGTERM", () => controller.abort());
  return controller.signal;
}

function contextFor(request) {
  const context = { ...request.context, log: logFor(request), meta: request.meta ?? {}, extensions: request.extensions ?? {} };
  // Made when it is read first: a module that does not use it ends with SIGTERM, at once.
  let signal;
  const lazily = { enumerable: true, configurable: true, get: () => (signal ??= abortSignal()) };
  Object.defineProperty(context, "signal", lazily);
  if (request.flavour !== "opencode") return context;
  const project = request.context.project ?? process.cwd();
  const told = { sessionID: "", messageID: "", callID: "", agent: "toolscout", directory: project, worktree: project };
  Object.defineProperty(context, "abort", lazily);
  return Object.assign(context, { ...told, metadata() {}, async ask() {} });
}

async function call(entries, request) {
  const tool = entries.map((it) => it.tool).find((it) => it?.name === request.tool);
  if (!tool) return { missing: entries.flatMap((it) => (it.tool ? [it.tool.name] : [])) };
  try {
    const { input, problems } = await checkedInput(tool, request.input, request.file);
    if (problems) return { result: failure(`\`${tool.name}\` cannot take these arguments: ${problems.join("; ")}`) };
    const result = resultOf(await tool.run(input, contextFor(request)), request.flavour === "opencode");
    JSON.stringify(result);
    return { result };
  } catch (error) {
    process.stderr.write(`${error?.stack ?? error}\n`);
    return { result: failure(message(error)) };
  }
}

// `timeout: "2m"`. A number is a setting of the module's own.
function timeoutOf({ timeout }) {
  return typeof timeout === "string" && /^\d+\s*(ms|s|m)$/.test(timeout) ? timeout : undefined;
}

function list(entries, request) {
  const described = entries.map(({ tool, problem }) => {
    if (problem) return { problem };
    const { title, description, keywords, outputSchema, annotations } = tool.value;
    try {
      const inputSchema = tool.schema ? jsonSchemaOf(tool, request.file) : { type: "object" };
      const output = isObject(outputSchema) ? jsonSchemaOf({ schema: outputSchema }, request.file) : undefined;
      const timeout = timeoutOf(tool.value);
      const whole = { name: tool.name, title, description, keywords, inputSchema, outputSchema: output, annotations, timeout };
      return tool.schema ? { tool: whole } : { function: whole };
    } catch (error) {
      return { problem: `\`${tool.name}\`: its schema cannot be read: ${message(error)}` };
    }
  });
  return { tools: described };
}

const request = await readRequest();
// What the module prints is for people; only our own answer belongs on stdout.
process.stdout.write = process.stderr.write.bind(process.stderr);
let reply;
try {
  const entries = toolsOf(await import(pathToFileURL(request.file).href), request);
  reply = request.op === "list" ? list(entries, request) : await call(entries, request);
} catch (error) {
  reply = { error: message(error) + whereOf(error, request.file) };
}
answer(request.nonce, reply);
