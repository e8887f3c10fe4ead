import type { Content, JsonSchema, ToolOutcome } from "../../../contract/tool.ts";
import type { Turn } from "../turn.ts";

/** `jsonSchema` of the package `ai`, which marks schemas in its own way. */
export type MakeSchema<S> = (schema: JsonSchema & { readonly type: "object" }) => S;

/** A tool as the AI SDK expects it (`ai` 5 and later). */
export interface AiSdkTool<S> {
  readonly description: string;
  readonly inputSchema: S;
  readonly execute: (
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal },
  ) => Promise<AiSdkOutput>;
  readonly toModelOutput: (result: { readonly output: AiSdkOutput } | AiSdkOutput) => AiSdkModelOutput;
}

/** The result of `execute`, which the program sees, too. */
export interface AiSdkOutput {
  readonly outcome: ToolOutcome["outcome"];
  readonly text: string;
  readonly content: readonly Content[];
  readonly structured?: Readonly<Record<string, unknown>>;
}

export type AiSdkModelOutput =
  | { readonly type: "error-text"; readonly value: string }
  | {
      readonly type: "content";
      readonly value: readonly (
        | { readonly type: "text"; readonly text: string }
        | { readonly type: "media"; readonly data: string; readonly mediaType: string }
      )[];
    };

/** The tools of a turn as `tools` of `generateText` and `streamText`, which call them by themselves. */
export function aiSdkTools<S>(turn: Turn, jsonSchema: MakeSchema<S>): Record<string, AiSdkTool<S>> {
  return Object.fromEntries(
    turn.tools.map((tool) => [
      tool.name,
      {
        description: turn.descriptionOf(tool),
        inputSchema: jsonSchema({ ...tool.inputSchema, type: "object" }),
        execute: async (input, options) => {
          const signal = options?.abortSignal;
          const outcome = await turn.call({
            name: tool.name,
            arguments: input,
            ...(signal && { signal }),
          });
          const { text, content, structured } = outcome;
          return { outcome: outcome.outcome, text, content, ...(structured && { structured }) };
        },
        toModelOutput: (result) => toModelOutput("output" in result ? result.output : result),
      } satisfies AiSdkTool<S>,
    ]),
  );
}

function toModelOutput({ outcome, text, content }: AiSdkOutput): AiSdkModelOutput {
  if (outcome !== "ok") return { type: "error-text", value: text };
  const parts = content.length > 0 ? content : [{ type: "text", text }];
  return {
    type: "content",
    value: parts.map((part) =>
      (part.type === "image" || part.type === "audio") &&
      typeof part.data === "string" &&
      typeof part.mimeType === "string"
        ? { type: "media", data: part.data, mediaType: part.mimeType }
        : { type: "text", text: typeof part.text === "string" ? part.text : JSON.stringify(part) },
    ),
  };
}
