import type { Progress } from "../../contract/tool.ts";

type OnProgress = (update: Progress) => void;

/** More updates of one call than this are a flood, which would pile up before a client that reads slowly. */
const MAX_UPDATES = 10_000;
const MAX_MESSAGE_CHARS = 500;

/** Tells of progress without secrets and within bounds. */
export function boundedProgress(onProgress: OnProgress, redact: (text: string) => string): OnProgress {
  let updates = 0;
  return (update) => {
    if (updates++ < MAX_UPDATES) onProgress(bounded(update, redact));
  };
}

function bounded(update: Progress, redact: (text: string) => string): Progress {
  return update.message === undefined
    ? update
    : { ...update, message: redact(update.message).slice(0, MAX_MESSAGE_CHARS) };
}
