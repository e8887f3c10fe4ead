/** When sources of knowledge are synced by themselves: part of the table in `schema.ts`. */
import { wholeNumber, yesOrNo } from "../document/expectation.ts";
import { MINUTES, setting } from "../setting.ts";

export const SYNC_SETTINGS = {
  "sync.watch": setting(yesOrNo(), {
    default: true,
    project: "never",
    description: "Whether the daemon syncs a source of knowledge when something changes in it.",
  }),
  "sync.interval_mins": setting(wholeNumber(0, 10_080, "minutes (a week at most)"), {
    at: "sync.intervalMs",
    form: MINUTES,
    default: 60,
    project: "never",
    description:
      "How often the daemon syncs all sources of knowledge, and once after its start. 0: never by itself.",
  }),
} as const;
