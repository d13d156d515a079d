// One instance of the server: a session of the legacy era, or a request of the modern one.

import { registerContent } from "./content.mjs";
import { registerInputs, stateCodec } from "./inputs.mjs";
import { registerLibrary } from "./library.mjs";
import { registerReverseRequests } from "./reverse_requests.mjs";
import { text } from "./result.mjs";
import { sdk } from "./sdk.mjs";

const { McpServer } = sdk("@modelcontextprotocol/server");

/** How often a test has requested another tool, and another prompt. */
const added = { tools: 0, prompts: 0 };

/** Creates an instance. `notify` returns what sends notifications to subscribers of the modern era. */
export function createServer({ notify }) {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  };
  const cache = { ttlMs: 60_000, cacheScope: "public" };
  const methods = ["server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list"];
  const server = new McpServer(
    { name: "dual-era", version: "1.0.0" },
    {
      capabilities,
      cacheHints: Object.fromEntries(methods.map((method) => [method, cache])),
      requestState: { verify: stateCodec.verify },
    },
  );
  for (const register of [registerContent, registerInputs, registerLibrary, registerReverseRequests]) {
    register(server);
  }
  registerChanges(server, notify);
  return server;
}

function registerChanges(server, notify) {
  for (let index = 0; index < added.tools; index += 1) {
    server.registerTool(`test_added_${index}`, { description: "Was not there before" }, () => text("here now"));
  }
  for (let index = 0; index < added.prompts; index += 1) {
    server.registerPrompt(`test_added_prompt_${index}`, { description: "Was not there before" }, () => ({ messages: [] }));
  }
  server.registerTool("test_trigger_tool_change", { description: "Adds a tool, and notifies clients" }, () => {
    added.tools += 1;
    notify ? notify().toolsChanged() : server.sendToolListChanged();
    return text("one more tool");
  });
  server.registerTool("test_trigger_prompt_change", { description: "Adds a prompt, and notifies clients" }, () => {
    added.prompts += 1;
    notify ? notify().promptsChanged() : server.sendPromptListChanged();
    return text("one more prompt");
  });
}
