import type { Serial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";

export interface FileDeps {
  readonly home: string;
  readonly newId: NewId;
  readonly redact: (text: string) => string;
  /** Runs changes to the same file one after another, even from different agents. */
  readonly serially: Serial;
}
