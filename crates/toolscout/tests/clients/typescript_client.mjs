// Uses toolscout through the official SDK for TypeScript, version 1, as a program of somebody else would.
//
// usage: node typescript_client.mjs MODULES COMMAND... | URL       prints what it saw as JSON

import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [modules, ...words] = process.argv.slice(2);
const sdk = (file) => import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm/client", file)));
const { Client } = await sdk("index.js");
const { StdioClientTransport } = await sdk("stdio.js");
const { StreamableHTTPClientTransport } = await sdk("streamableHttp.js");

const client = new Client({ name: "somebody", version: "1.0.0" }, { capabilities: {} });
const [first, ...rest] = words;
const isWeb = first.startsWith("http");
await client.connect(
  isWeb ? new StreamableHTTPClientTransport(new URL(first)) : new StdioClientTransport({ command: first, args: rest }),
);

const call = (name, inner, options) => client.callTool({ name, arguments: inner }, undefined, options);
const text = (result) => result.content.map((it) => it.text ?? "").join("");

/** Gives up a call that would take half a minute. */
async function cancelled() {
  const giving = new AbortController();
  const sleep = call("execute_tool", { name: "honest/sleep", arguments: { seconds: 30 } }, { signal: giving.signal });
  setTimeout(() => giving.abort("enough"), 1000);
  return sleep.then(() => false, () => true);
}

const { tools } = await client.listTools();
const found = await call("tool_search", { query: "add two numbers" });
const ran = await call("execute_tool", { name: "honest/add", arguments: { a: 2, b: 3 } });
const gaveUp = await cancelled();
// It lives on.
const again = await call("execute_tool", { name: "honest/echo", arguments: { text: "still here ☂" } });
await client.close();
const seen = { tools: tools.map((it) => it.name).sort(), found: text(found), ran: text(ran), gave_up: gaveUp, again: text(again) };
console.log(JSON.stringify(seen));
process.exit(0);
