// A server of both protocol eras, built with the official SDK for TypeScript, version 2: clients of the legacy era get a
// handshake and sessions, those of the modern era are served without. It has everything that the official conformance suite
// expects of a server.
//
// usage: node main.mjs MODULES [--stdio]       over HTTP it prints `listening at http://127.0.0.1:PORT/mcp`

import { randomUUID } from "node:crypto";
import { createEventStore } from "./event_store.mjs";
import { createServer } from "./server.mjs";
import { sdk } from "./sdk.mjs";

const { createMcpHandler, isInitializeRequest, isLegacyRequest } = sdk("@modelcontextprotocol/server");

if (process.argv.includes("--stdio")) {
  sdk("@modelcontextprotocol/server/stdio").serveStdio(() => createServer({}));
} else {
  serveHttp();
}

function serveHttp() {
  const { createMcpExpressApp } = sdk("@modelcontextprotocol/express");
  const { toNodeHandler, toWebRequest } = sdk("@modelcontextprotocol/node");
  const modern = createMcpHandler(() => createServer({ notify: () => modern.notify }), { legacy: "reject" });
  const serveModern = toNodeHandler(modern);
  const sessions = new Map();
  const app = createMcpExpressApp();
  app.all("/mcp", async (request, response) => {
    const isLegacy = await isLegacyRequest(await toWebRequest(request, request.body));
    await (isLegacy ? serveLegacy(sessions, request, response) : serveModern(request, response, request.body));
  });
  const listener = app.listen(0, "127.0.0.1", () => {
    console.log(`listening at http://127.0.0.1:${listener.address().port}/mcp`);
  });
}

async function serveLegacy(sessions, request, response) {
  const id = request.headers["mcp-session-id"];
  const transport = sessions.get(id) ?? (await startSession(sessions, request));
  if (transport) {
    await transport.handleRequest(request, response, request.body);
    return;
  }
  const error = { code: -32000, message: "no such session" };
  response.status(id ? 404 : 400).json({ jsonrpc: "2.0", id: null, error });
}

async function startSession(sessions, request) {
  if (request.headers["mcp-session-id"] || !isInitializeRequest(request.body)) {
    return undefined;
  }
  const { NodeStreamableHTTPServerTransport } = sdk("@modelcontextprotocol/node");
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: createEventStore(),
    // In milliseconds. Clients poll a stream that the server has closed after this time.
    retryInterval: 200,
    onsessioninitialized: (started) => sessions.set(started, transport),
    onsessionclosed: (ended) => sessions.delete(ended),
  });
  await createServer({}).connect(transport);
  return transport;
}
