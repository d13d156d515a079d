// Tools without requests to the client: every kind of content, log messages, progress, and schemas.

import { text } from "./result.mjs";
import { sdk } from "./sdk.mjs";

const { fromJsonSchema } = sdk("@modelcontextprotocol/server");

/** One red pixel. */
export const IMAGE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/** An empty sound file. */
const AUDIO = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const image = { type: "image", data: IMAGE, mimeType: "image/png" };
const resource = (uri, mimeType, content) => ({ type: "resource", resource: { uri, mimeType, text: content } });

/** The results that never vary, by tool. */
const RESULTS = {
  test_simple_text: text("This is a simple text."),
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: AUDIO, mimeType: "audio/wav" }] },
  test_embedded_resource: { content: [resource("test://embedded", "text/plain", "inside")] },
  test_multiple_content_types: {
    content: [{ type: "text", text: "three things" }, image, resource("test://mixed", "application/json", '{"a":1}')],
  },
  test_error_handling: { ...text("this tool fails every time"), isError: true },
};

export function registerContent(server) {
  for (const [name, result] of Object.entries(RESULTS)) {
    server.registerTool(name, { description: `Returns the result of ${name}` }, () => result);
  }
  const logs = { description: "Logs three messages" };
  server.registerTool("test_tool_with_logging", logs, log);
  server.registerTool("test_logging_tool", logs, log);
  server.registerTool("test_tool_with_progress", { description: "Reports three steps" }, reportProgress);
  server.registerTool("test_reconnection", { description: "Lets the client poll for the result" }, letPoll);
  registerSchemas(server);
}

async function log(context) {
  for (const message of ["begun", "going on", "nearly done"]) {
    await context.mcpReq.log("info", message, "dual-era");
    await pause(50);
  }
  return text("logged");
}

async function reportProgress(context) {
  const progressToken = context.mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      const params = { progressToken, progress, total: 100 };
      await context.mcpReq.notify({ method: "notifications/progress", params });
    }
    await pause(50);
  }
  return text("done");
}

/** Closes the stream of this call; the client resumes it, and finds the result there. */
async function letPoll(context) {
  context.http?.closeSSE?.();
  await pause(300);
  return text("the stream was resumed");
}

function registerSchemas(server) {
  const string = { type: "string" };
  const region = { type: "object", properties: { region: { ...string, "x-mcp-header": "Region" } }, required: ["region"] };
  const mirrored = { description: "Has an argument that is mirrored in a header", inputSchema: fromJsonSchema(region) };
  server.registerTool("test_custom_header", mirrored, ({ region: value }) => text(value));
  const address = { $anchor: "address", type: "object", properties: { street: string, city: string } };
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address },
    properties: {
      name: string,
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: string,
      email: string,
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  };
  const keywords = { description: "Has a schema with all keywords of its dialect", inputSchema: fromJsonSchema(schema) };
  server.registerTool("json_schema_2020_12_tool", keywords, (input) => text(JSON.stringify(input)));
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
