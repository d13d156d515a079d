// A web chat backend in the style of lace: it shows the catalog with its policies, calls tools for the chat, and lets
// the person in front of the browser approve calls. Needs no packages.
//
// The chat calls tools with the token of an agent, so it can never approve its own calls. Only requests of the person,
// who has the password of the backend, use the token of the operator.

import { createServer } from "node:http";
import { timingSafeEqual } from "node:crypto";

const { TOOLSCOUT_URL, TOOLSCOUT_AGENT_TOKEN, TOOLSCOUT_TOKEN, CHAT_PASSWORD, PORT = "8080" } = process.env;
if (!TOOLSCOUT_URL || !TOOLSCOUT_AGENT_TOKEN || !TOOLSCOUT_TOKEN || !CHAT_PASSWORD) {
  console.error("set TOOLSCOUT_URL, TOOLSCOUT_AGENT_TOKEN, TOOLSCOUT_TOKEN (operator) and CHAT_PASSWORD");
  process.exit(2);
}

/** Sends a request to toolscout; returns status and body. */
async function toolscout(token, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(TOOLSCOUT_URL + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}
const asAgent = (...request) => toolscout(TOOLSCOUT_AGENT_TOKEN, ...request);
const asOperator = (...request) => toolscout(TOOLSCOUT_TOKEN, ...request);

/** The routes, and whether they are for the person only. */
const routes = {
  "GET /catalog": { run: catalog },
  "POST /chat": { run: chat },
  "GET /approvals": { forPerson: true, run: () => asOperator("GET", "/api/approvals") },
  "POST /approvals": { forPerson: true, run: decide },
  "PUT /policies": { forPerson: true, run: setPolicy },
};

/** Every tool with its description and policy, from the cache: no server starts. */
async function catalog() {
  const { status, body } = await asAgent("GET", "/api/projects/current/configuration");
  if (status !== 200) return { status, body };
  const { availableTools, defaultPolicy } = body.configuration;
  const tool = ({ name, description, configuredPolicy }) => ({ name, description, policy: configuredPolicy ?? defaultPolicy });
  return { status, body: { tools: availableTools.map(tool) } };
}

/** A message of the chat: `/search WORDS`, or `/call TOOL JSON`. */
async function chat({ message = "" }) {
  const [command, name, ...rest] = String(message).split(" ");
  if (command === "/search") {
    const query = encodeURIComponent([name, ...rest].join(" "));
    const { status, body } = await asAgent("GET", `/api/search?limit=3&q=${query}`);
    return status === 200 ? reply(body.results.map((hit) => hit.id).join("\n") || "No tools found.") : { status, body };
  }
  if (command !== "/call" || !name) return { status: 400, body: { error: "type /search WORDS or /call TOOL JSON" } };
  let args;
  try {
    args = JSON.parse(rest.join(" ") || "{}");
  } catch (error) {
    return { status: 400, body: { error: `the arguments are not JSON: ${error.message}` } };
  }
  const { status, body } = await asAgent("POST", "/api/call", { name, arguments: args });
  if (body.code === "APPROVAL_REQUIRED") return { status: 202, body: { waiting: body.approval, reply: body.error } };
  return status === 200 ? reply(body.result.content.map((block) => block.text ?? "").join("\n")) : { status, body };
}

const reply = (text) => ({ status: 200, body: { reply: text } });

/** The person approves or rejects a call. The chat then sends it again. */
function decide({ id = "", decision }) {
  return asOperator("POST", `/api/approvals/${encodeURIComponent(id)}`, { decision });
}

/** The person sets the policy of a tool. */
function setPolicy({ tool, policy }) {
  return asOperator("PUT", "/api/policies", { level: "project", pattern: tool, policy });
}

function isPerson(request) {
  const [given, expected] = [request.headers["x-chat-password"] ?? "", CHAT_PASSWORD].map((text) => Buffer.from(text));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Whether a web page of another site may have sent this: a browser asks before it sends JSON, and names the host. */
function isForeign(request) {
  const isLocal = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host);
  const isJson = (request.headers["content-type"] ?? "").startsWith("application/json");
  return !isLocal || (request.method !== "GET" && !isJson);
}

async function body(request) {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 1 << 20) throw new Error("the body is too long");
  }
  const value = text ? JSON.parse(text) : {};
  if (value === null || typeof value !== "object") throw new Error("the body is not a JSON object");
  return value;
}

async function respond(request) {
  const route = routes[`${request.method} ${new URL(request.url, "http://localhost").pathname}`];
  if (!route) return { status: 404, body: { error: "there is no such route" } };
  if (isForeign(request)) return { status: 403, body: { error: "send JSON, to localhost" } };
  if (route.forPerson && !isPerson(request)) return { status: 401, body: { error: "the password is missing or wrong" } };
  let input;
  try {
    input = await body(request);
  } catch (error) {
    return { status: 400, body: { error: error.message } };
  }
  return route.run(input).catch((error) => ({ status: 502, body: { error: `toolscout: ${error.message}` } }));
}

const server = createServer(async (request, response) => {
  const { status, body } = await respond(request);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on 127.0.0.1:${server.address().port}`));
process.once("SIGTERM", () => server.close(() => process.exit(0)));
