// Tools that send requests to the client while they run. The SDK permits that in the legacy era only; in the modern era these
// tools fail.

import { text } from "./result.mjs";
import { sdk } from "./sdk.mjs";

const { z } = sdk("zod");

const titled = ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title }));
const options = ["option1", "option2", "option3"];

/** The forms that need no arguments, by tool. */
const FORMS = {
  test_elicitation_sep1034_defaults: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: "string", enum: options },
    titledSingle: { type: "string", oneOf: titled },
    legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option 1", "Option 2", "Option 3"] },
    untitledMulti: { type: "array", items: { type: "string", enum: options } },
    titledMulti: { type: "array", items: { anyOf: titled } },
  },
};

export function registerReverseRequests(server) {
  for (const [name, properties] of Object.entries(FORMS)) {
    const requestedSchema = { type: "object", properties, required: [] };
    server.registerTool(name, { description: "Requests a form during the call" }, async (context) =>
      text(`the form: ${JSON.stringify(await context.mcpReq.elicitInput({ message: "Is this right?", requestedSchema }))}`),
    );
  }
  const withMessage = { description: "Requests a name during the call", inputSchema: z.object({ message: z.string() }) };
  server.registerTool("test_elicitation", withMessage, async ({ message }, context) => {
    const properties = { username: { type: "string" }, email: { type: "string" } };
    const requestedSchema = { type: "object", properties, required: ["username", "email"] };
    return text(`the person: ${JSON.stringify(await context.mcpReq.elicitInput({ message, requestedSchema }))}`);
  });
  const withPrompt = { description: "Requests a text during the call", inputSchema: z.object({ prompt: z.string() }) };
  server.registerTool("test_sampling", withPrompt, async ({ prompt }, context) => {
    const messages = [{ role: "user", content: { type: "text", text: prompt } }];
    const sampled = await context.mcpReq.requestSampling({ messages, maxTokens: 100 });
    return text(`the model: ${sampled.content.text}`);
  });
  server.registerTool("test_roots", { description: "Requests the folders during the call" }, async (context) => {
    const { roots } = await context.mcpReq.send({ method: "roots/list" });
    return text(`the folders: ${roots.map((root) => root.uri).join(" ")}`);
  });
}
