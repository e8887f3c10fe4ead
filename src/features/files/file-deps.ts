import type { Serial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";

/** What the file tools need. */
export interface FileDeps {
  readonly home: string;
  readonly newId: NewId;
  readonly redact: (text: string) => string;
  /** Changes to one file happen one after another, also those of different agents. */
  readonly serially: Serial;
}
