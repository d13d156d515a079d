// A Node program with two tools, in the shape of gunshi-mcp: name, input schema and handler.

import { serveTools } from "./gateway.mjs";

const slugify = {
  name: "slugify",
  description: "Turn a title into a short name for a URL",
  keywords: ["url", "permalink"],
  inputSchema: {
    type: "object",
    properties: { title: { type: "string", description: "The title" } },
    required: ["title"],
  },
  handler: ({ title }) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, ""),
};

const countWords = {
  name: "count_words",
  description: "Count the words of a text",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: ({ text }) => ({ words: text.split(/\s+/).filter(Boolean).length }),
};

const [url, token] = [process.env.TOOLSCOUT_URL, process.env.TOOLSCOUT_TOKEN];
if (!url || !token) {
  console.error("set TOOLSCOUT_URL, such as http://127.0.0.1:7420, and TOOLSCOUT_TOKEN, the operator token");
  process.exit(2);
}
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
process.once("SIGINT", () => stop.abort());
await serveTools([slugify, countWords], {
  source: "text",
  url,
  token,
  signal: stop.signal,
  onReady: () => console.log("registered 2 tools"),
});
