// Calls the tools of the server in tests/servers/dual_era, through the official SDK for TypeScript, version 2, as a client of
// one protocol era. It supports every kind of request from servers.
//
// usage: node dual_era_client.mjs MODULES legacy|modern NAME URL | COMMAND...       prints what it saw as JSON

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, era, name, ...target] = process.argv.slice(2);
const sdk = createRequire(join(resolve(modules), "packages.cjs"));
const { Client, StreamableHTTPClientTransport } = sdk("@modelcontextprotocol/client");
const { StdioClientTransport } = sdk("@modelcontextprotocol/client/stdio");

const isModern = era === "modern";
const client = new Client(
  { name, version: "1.0.0" },
  {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    versionNegotiation: { mode: isModern ? { pin: "2026-07-28" } : "legacy" },
  },
);

/** The requests of the server, in order. */
const requests = [];
const answer = (method, result) =>
  client.setRequestHandler(method, (request) => {
    requests.push(method);
    return typeof result === "function" ? result(request.params) : result;
  });
// Each client answers with its own name, which shows whose answer a tool has received.
answer("elicitation/create", ({ requestedSchema }) => {
  const value = (schema) => ({ boolean: true, integer: 30, number: 1.5 })[schema.type] ?? name;
  const fields = Object.entries(requestedSchema.properties).map(([key, schema]) => [key, value(schema)]);
  return { action: "accept", content: Object.fromEntries(fields) };
});
answer("sampling/createMessage", { role: "assistant", model: "m", content: { type: "text", text: `a text of ${name}` } });
answer("roots/list", { roots: [{ uri: `file:///${name}` }] });
const logs = [];
client.setNotificationHandler("notifications/message", (message) => {
  logs.push(message.params.data);
});

const [first, ...rest] = target;
await client.connect(
  first.startsWith("http")
    ? new StreamableHTTPClientTransport(new URL(first))
    : new StdioClientTransport({ command: first, args: rest, env: process.env, stderr: "inherit" }),
);
const { tools } = await client.listTools();
/** The listed name of a tool, which may have a prefix. */
const listed = (tool) => tools.find((candidate) => candidate.name === tool || candidate.name.endsWith(`__${tool}`)).name;

const _meta = isModern ? { "io.modelcontextprotocol/logLevel": "info" } : undefined;
async function call(tool, inputs = {}, options = {}) {
  const result = await client.callTool({ name: listed(tool), arguments: inputs, _meta }, options);
  return `${result.isError ? "failed: " : ""}${result.content.map((content) => content.text ?? "").join("")}`;
}

const results = {};
for (const [tool, inputs] of [
  ["test_input_required_result_elicitation"],
  ["test_input_required_result_sampling"],
  ["test_input_required_result_list_roots"],
  ["test_input_required_result_multi_round"],
  ["test_elicitation", { message: "Who?" }],
  ["test_sampling", { prompt: "Say something" }],
  ["test_roots"],
  ["test_tool_with_logging"],
  ["test_reconnection"],
]) {
  results[tool] = await call(tool, inputs);
}
const progress = [];
await call("test_tool_with_progress", {}, { onprogress: (step) => progress.push(step.progress) });
await client.close();
console.log(JSON.stringify({ name, tools: tools.length, results, requests, logs, progress }));
process.exit(0);
