// Offers the tools of a Node program through toolscout. It holds the stream of calls open, so it needs no port of its
// own, and no packages.

/** Registers the tools and answers their calls, until `signal` is aborted. Connects again if toolscout restarts. */
export async function serveTools(tools, { source, url, token, signal, onReady = () => {} }) {
  const api = client(url, token, signal);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  while (!signal?.aborted) {
    try {
      const { calls } = await api("/api/tools", { source, tools: tools.map(definition) });
      const running = new Map();
      for await (const { event, data } of await events(url + calls, token, signal)) {
        if (event === "ready") onReady();
        if (event === "cancel") running.get(data.id)?.abort();
        if (event === "call") answer(data, byName, running, (result) => api(`${calls}/${data.id}`, { result }));
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error.isFinal) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** The part of a tool that toolscout needs. */
function definition({ name, title, description, keywords, inputSchema, outputSchema, annotations }) {
  return { name, title, description, keywords, inputSchema, outputSchema, annotations };
}

/** Runs one call and sends its result. A handler that throws is a failed call. */
async function answer(call, byName, running, send) {
  const controller = new AbortController();
  running.set(call.id, controller);
  let result;
  try {
    result = await byName.get(call.tool).handler(call.arguments, { ...call.context, signal: controller.signal });
  } catch (error) {
    result = { content: [{ type: "text", text: error.message }], isError: true };
  }
  running.delete(call.id);
  // The caller may have given up in the meantime.
  if (!controller.signal.aborted) await send(result ?? "").catch(() => {});
}

/** Posts JSON. A refused request is final: repeating it does not help. */
function client(url, token, signal) {
  return async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), signal });
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.error), { isFinal: response.status < 500 });
    return answer;
  };
}

/** The server-sent events of a stream. */
async function* events(url, token, signal) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal });
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const field = (name) => part.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (field("data")) yield { event: field("event"), data: JSON.parse(field("data")) };
    }
  }
}
