// Resources, prompts and completions.

import { IMAGE } from "./content.mjs";
import { sdk } from "./sdk.mjs";

const { ResourceTemplate, acceptedContent, completable, inputRequired } = sdk("@modelcontextprotocol/server");
const { z } = sdk("zod");

export function registerLibrary(server) {
  registerResources(server);
  registerPrompts(server);
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function registerResources(server) {
  const plain = { mimeType: "text/plain" };
  const contents = (uri, content) => ({ contents: [{ uri: uri.href, ...content }] });
  for (const name of ["static-text", "watched-resource"]) {
    const read = (uri) => contents(uri, { ...plain, text: "The content of a text resource." });
    server.registerResource(name, `test://${name}`, { ...plain, description: "A text" }, read);
  }
  const png = { mimeType: "image/png" };
  const readImage = (uri) => contents(uri, { ...png, blob: IMAGE });
  server.registerResource("static-binary", "test://static-binary", { ...png, description: "An image" }, readImage);
  const json = { mimeType: "application/json" };
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { ...json, description: "One for each number" }, (uri, { id }) =>
    contents(uri, { ...json, text: JSON.stringify({ id, data: `data about ${id}` }) }),
  );
}

function registerPrompts(server) {
  const string = (description) => z.string().describe(description);
  const messages = (...contents) => ({ messages: contents.map((content) => ({ role: "user", content })) });
  const says = (text) => ({ type: "text", text });
  server.registerPrompt("test_simple_prompt", { description: "A text" }, () => messages(says("Say something simple.")));
  const words = ["parent", "parrot", "test one", "test two"];
  const argsSchema = z.object({
    arg1: completable(string("The first"), (begun) => words.filter((word) => word.startsWith(begun))),
    arg2: string("The second"),
  });
  server.registerPrompt("test_prompt_with_arguments", { description: "Two arguments", argsSchema }, ({ arg1, arg2 }) =>
    messages(says(`Say ${arg1} and ${arg2}.`)),
  );
  const ofResource = { description: "A resource", argsSchema: z.object({ resourceUri: string("Its URI") }) };
  server.registerPrompt("test_prompt_with_embedded_resource", ofResource, ({ resourceUri: uri }) =>
    messages({ type: "resource", resource: { uri, mimeType: "text/plain", text: "inside" } }, says("Describe it.")),
  );
  server.registerPrompt("test_prompt_with_image", { description: "An image" }, () =>
    messages({ type: "image", data: IMAGE, mimeType: "image/png" }, says("Describe it.")),
  );
  server.registerPrompt("test_input_required_result_prompt", { description: "Needs the context" }, (context) => {
    const schema = z.object({ context: z.string() });
    const accepted = acceptedContent(context.mcpReq.inputResponses, "user_context", schema);
    if (accepted) {
      return messages(says(`Speak about ${accepted.context}.`));
    }
    const user_context = inputRequired.elicit({ message: "What is it about?", requestedSchema: schema });
    return inputRequired({ inputRequests: { user_context } });
  });
}
