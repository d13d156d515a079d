// Types of toolscout modules. `toolscout manifest types` writes this file; import from it with `import type`.

/** A JSON Schema, a zod schema or shape, or an argument table such as `{ url: { type: "string", required: true } }`. */
export type Schema = object;

/** One tool: a default export, a named export, or a member of an exported list. */
export interface Tool<Input = Record<string, unknown>> {
  name: string;
  title?: string;
  description?: string;
  keywords?: string[];
  inputSchema: Schema;
  outputSchema?: Schema;
  annotations?: Annotations;
  /** The timeout of a call: `"500ms"`, `"30s"` or `"2m"`. */
  timeout?: string;
  handler: Handler<Input>;
}

/** The function that a call runs: `handler`, `execute`, `run`, or the default export. */
export type Handler<Input = Record<string, unknown>> = (input: Input, context: Context) => unknown;

/** Hints for clients, as in MCP. */
export interface Annotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** The second argument of a handler. */
export interface Context {
  /** The source of the tool: `local`. */
  source: string;
  /** The name of the tool. */
  tool: string;
  /** The surface of the call. */
  caller: "cli" | "mcp" | "http";
  /** The folder of the project; `null` outside a project. */
  project: string | null;
  /** The authenticated user, if there is one. */
  user?: string;
  /** Log messages: to stderr, and to the MCP client. */
  log: Log;
  meta: Meta;
  /** Values that the application shares with its tools. */
  extensions: Record<string, unknown>;
  /** Aborts when the call is cancelled or times out, half a second before the process is killed. */
  signal: AbortSignal;
}

export interface Meta {
  /** The id of the request: that of the MCP client, or a new one. */
  requestId: string;
}

/** Texts are formatted as by `console.log`; plain objects are attached as data. */
export type LogMethod = (...args: unknown[]) => void;

export interface Log {
  trace: LogMethod;
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  fatal: LogMethod;
}

/** A complete result. Any other value is converted: a string to text, an object or list to structured content. */
export interface Result {
  content?: { type: string; [key: string]: unknown }[];
  structuredContent?: unknown;
  isError?: boolean;
}
