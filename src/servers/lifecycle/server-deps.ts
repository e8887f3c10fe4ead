import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ServerRecord } from "../../machine/db/store.ts";
import type { OpenResult } from "../connection/call.ts";
import type { Connection } from "../connection/connection.ts";
import type { ConnectAttempt } from "../connection/connector.ts";
import type { OfferList } from "../lists/offer-list.ts";
import type { ToolList } from "../lists/tool-list.ts";
import type { Pins } from "../trust/pins.ts";

/** What a server needs of its surroundings; `S` is the server itself. */
export interface ServerDeps<S> {
  /** Opens a connection and lists the tools; never rejects, and leaves nothing behind when it fails. */
  readonly connect: (server: S, attempt: ConnectAttempt) => Promise<OpenResult<Connection>>;
  /** Stores what a connection taught about the server; resolves with what that changed in its record. */
  readonly learn: (server: S, list: ToolList, connection: Connection) => Promise<Partial<ServerRecord>>;
  readonly learnOffers: (server: S, list: OfferList) => Promise<void>;
  /** Says why a request may not go to the server although it could, such as that its tool has changed. */
  readonly pins: Pick<Pins, "refusal" | "keepingBack">;
  /** Stores that the server asks back. */
  readonly learnAsksBack: (server: S) => Promise<Partial<ServerRecord>>;
  /** The tools of the last list, made for this server as it is defined now. */
  readonly toolsOf: (server: S) => readonly Tool[];
  /** After every transition; `detail` says why, where something went wrong. */
  readonly onState: (server: S, detail?: string) => void;
  /** After its tools, or whether they can be called, changed. */
  readonly onTools: (server: S) => void;
  readonly onProblem: (server: S, message: string) => void;
  /** Hides what may not be shown in a message that a server had a hand in. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly live: { readonly settings: Settings };
  /** Without calls for this long a server is stopped; else as `settings.mcp.idleMs` says. */
  readonly idleMs?: number;
  readonly backoffMs: readonly number[];
  /** Whoever asks for offers waits this long for a server's first list of them. */
  readonly offersWaitMs: number;
}
