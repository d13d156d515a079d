// Results of tools.

/** A result with one text. */
export function text(text) {
  return { content: [{ type: "text", text }] };
}
