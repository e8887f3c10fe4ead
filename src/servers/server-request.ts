import type { ToolResult } from "../contract/tool.ts";

/** What is asked of a server, whoever asks. */
export interface ServerRequest {
  readonly method:
    | "tools/call"
    | "resources/read"
    | "prompts/get"
    | "completion/complete"
    | "tasks/result"
    | "tasks/get"
    | "tasks/update"
    | "tasks/cancel";
  /** Without what a connection adds: `_meta`, answers to what the server asked back, its state. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Of a tool, as published. */
  readonly inputSchema?: unknown;
  /** Whoever asks follows tasks: the answer may be that one has begun. */
  readonly tasks?: boolean;
  /** What the final answer comes to. */
  readonly resultOf: (answer: Readonly<Record<string, unknown>>) => ToolResult;
}
