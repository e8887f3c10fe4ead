import type { Notice } from "../../contract/tool.ts";
import { changeTexts } from "../../lib/text/change-texts.ts";

type OnNotice = (notice: Notice) => void;

/** What one call may tell its caller beside its progress. More, larger or deeper ones are left out. */
const MAX_NOTICES = 1_000;
const MAX_CHARS = 64 * 1024;
const MAX_DEPTH = 50;

/** Passes notices on without secrets and within bounds. */
export function boundedNotices(onNotice: OnNotice, redact: (text: string) => string): OnNotice {
  let notices = 0;
  return ({ method, params }) => {
    if (notices >= MAX_NOTICES) return;
    const told = changeTexts(params, redact, MAX_DEPTH);
    if (!told || told.atLeast > MAX_CHARS) return;
    notices++;
    onNotice({ method, params: told.value });
  };
}
