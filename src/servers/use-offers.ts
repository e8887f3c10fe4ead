import type { CompletionAsked } from "../contract/offer.ts";
import type { ToolResult } from "../contract/tool.ts";
import { isRecord } from "../lib/json.ts";
import type { ServerRequest } from "./server-request.ts";

/** The requests that use what a server offers beside tools. Their output is the whole answer, in `structured`. */

type JsonObject = Readonly<Record<string, unknown>>;

/** As the protocol says. */
const MAX_COMPLETIONS = 100;

export function readResource(uri: string): ServerRequest {
  return {
    method: "resources/read",
    params: { uri },
    resultOf: (answer) => whole(answer, Array.isArray(answer.contents), "contents"),
  };
}

export function getPrompt(name: string, args: JsonObject): ServerRequest {
  return {
    method: "prompts/get",
    params: { name, arguments: args },
    resultOf: (answer) => whole(answer, Array.isArray(answer.messages), "messages"),
  };
}

export function complete(asked: CompletionAsked): ServerRequest {
  return {
    method: "completion/complete",
    params: { ...asked },
    resultOf: (answer) => {
      const { completion } = answer;
      if (!isRecord(completion) || !Array.isArray(completion.values))
        return whole(answer, false, "completion");
      const values = completion.values.filter((value) => typeof value === "string").slice(0, MAX_COMPLETIONS);
      return whole({ ...answer, completion: { ...completion, values } }, true, "completion");
    },
  };
}

/** What is said where a server completes nothing. */
export const NOTHING_COMPLETED: ToolResult = {
  kind: "output",
  content: [],
  structured: { completion: { values: [], total: 0, hasMore: false } },
};

function whole(answer: JsonObject, fits: boolean, field: string): ToolResult {
  if (!fits) return { kind: "failed", message: `the server sent an answer without ${field}` };
  // How an answer is to be taken is for each connection to say anew.
  const { resultType: _, ...structured } = answer;
  return { kind: "output", content: [], structured };
}
