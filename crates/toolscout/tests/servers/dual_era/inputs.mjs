// Tools that return requests for input as their result. In the legacy era the SDK sends them as requests during the call.

import { text } from "./result.mjs";
import { sdk } from "./sdk.mjs";

const { acceptedContent, createRequestStateCodec, inputRequired, inputResponse } = sdk("@modelcontextprotocol/server");
const { z } = sdk("zod");

/** Seals the state that clients of the modern era return. */
export const stateCodec = createRequestStateCodec({ key: "a key of thirty-two bytes or more, for tests" });

const form = (message, shape) => inputRequired.elicit({ message, requestedSchema: z.object(shape) });
const nameForm = () => form("What is your name?", { name: z.string() });
const confirmForm = () => form("Are you sure?", { ok: z.boolean() });
const sample = (prompt) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 });

/** The requests for input that need no state, by tool. */
const REQUESTS = {
  test_streaming_elicitation: () => ({ ok: confirmForm() }),
  test_input_required_result_elicitation: () => ({ user_name: nameForm() }),
  test_input_required_result_sampling: () => ({ capital_question: sample("What is the capital of France?") }),
  test_missing_capability: () => ({ text: sample("Say something") }),
  test_input_required_result_list_roots: () => ({ client_roots: inputRequired.listRoots() }),
  test_input_required_result_capabilities: ({ elicitation, sampling }) => ({
    ...(elicitation && { name: nameForm() }),
    ...(sampling && { text: sample("Say something") }),
  }),
};

/** The requests for input with a state, by tool. */
const REQUESTS_WITH_STATE = {
  test_input_required_result_request_state: () => ({ confirm: confirmForm() }),
  test_input_required_result_tampered_state: () => ({ confirm: confirmForm() }),
  test_input_required_result_multiple_inputs: () => ({
    user_name: nameForm(),
    greeting: sample("Greet the user"),
    client_roots: inputRequired.listRoots(),
  }),
};

export function registerInputs(server) {
  const description = "Returns a request for input";
  for (const [name, requests] of Object.entries(REQUESTS)) {
    server.registerTool(name, { description }, (context) => {
      const inputRequests = requests(capabilities(server, context));
      return answers(context, Object.keys(inputRequests)) ?? inputRequired({ inputRequests });
    });
  }
  for (const [name, requests] of Object.entries(REQUESTS_WITH_STATE)) {
    server.registerTool(name, { description }, async (context) => {
      const state = context.mcpReq.requestState();
      const inputRequests = requests();
      const answered = state?.tool === name ? answers(context, Object.keys(inputRequests)) : undefined;
      return answered ?? inputRequired({ inputRequests, requestState: await stateCodec.mint({ tool: name }, context) });
    });
  }
  server.registerTool("test_input_required_result_multi_round", { description: "Needs input twice" }, twoRounds);
}

async function twoRounds(context) {
  const step = context.mcpReq.requestState()?.step;
  if (step === 2) {
    const color = acceptedContent(context.mcpReq.inputResponses, "step2");
    if (color) {
      return text(`in the end: ${JSON.stringify(color)}`);
    }
  }
  const isSecond = step === 2 || (step === 1 && acceptedContent(context.mcpReq.inputResponses, "step1"));
  const inputRequests = isSecond
    ? { step2: form("Your color?", { color: z.string() }) }
    : { step1: form("Your name?", { name: z.string() }) };
  return inputRequired({ inputRequests, requestState: await stateCodec.mint({ step: isSecond ? 2 : 1 }, context) });
}

/** The result, if the client has answered all these requests. */
function answers(context, names) {
  const { inputResponses } = context.mcpReq;
  const views = names.map((name) => inputResponse(inputResponses, name));
  if (views.some((view) => view.kind === "missing")) {
    return undefined;
  }
  return text(`the client answered: ${JSON.stringify(names.map((name) => [name, inputResponses[name]]))}`);
}

/** The client's capabilities: from the request in the modern era, from the handshake in the legacy era. */
function capabilities(server, context) {
  const declared = context.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
  return declared ?? server.server.getClientCapabilities() ?? {};
}
