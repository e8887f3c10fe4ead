import type { Progress, ToolCall } from "../tool.ts";

/** More updates of one call than this are a flood, which would pile up before a client that reads slowly. */
const MAX_UPDATES = 10_000;
const MAX_MESSAGE_CHARS = 500;

/** The same call, told of progress without secrets and within bounds. */
export function withBoundedProgress(call: ToolCall, redact: (text: string) => string): ToolCall {
  const { onProgress } = call;
  if (!onProgress) return call;
  let updates = 0;
  return {
    ...call,
    onProgress: (update) => {
      if (updates++ < MAX_UPDATES) onProgress(bounded(update, redact));
    },
  };
}

function bounded(update: Progress, redact: (text: string) => string): Progress {
  return update.message === undefined
    ? update
    : { ...update, message: redact(update.message).slice(0, MAX_MESSAGE_CHARS) };
}
