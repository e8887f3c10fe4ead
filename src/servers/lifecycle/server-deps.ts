import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { OpenResult } from "../connection/call.ts";
import type { Connection } from "../connection/connection.ts";
import type { ConnectAttempt } from "../connection/connector.ts";
import type { OfferList } from "../lists/offer-list.ts";
import type { ToolList } from "../lists/tool-list.ts";
import type { ServerRecord } from "../records.ts";
import type { Pins } from "../trust/pins.ts";

/** Everything a server needs from the rest of the program; `S` is the server itself. */
export interface ServerDeps<S> {
  /** Opens a connection and lists the tools. Never rejects, and leaves nothing behind after a failure. */
  readonly connect: (server: S, attempt: ConnectAttempt) => Promise<OpenResult<Connection>>;
  /** Stores what a new connection revealed; resolves with the changed fields of the record. */
  readonly storeLists: (server: S, list: ToolList, connection: Connection) => Promise<Partial<ServerRecord>>;
  readonly storeOffers: (server: S, list: OfferList) => Promise<void>;
  /** Says why a request must not be sent although the server is reachable, for example because its tool changed. */
  readonly pins: Pick<Pins, "findRefusal" | "serversWithHidden">;
  /** Stores that the server asks back. */
  readonly storeAsksBack: (server: S) => Promise<Partial<ServerRecord>>;
  /** Builds the tools of the last list for the server's current definition. */
  readonly buildTools: (server: S) => readonly Tool[];
  /** Called after every transition; `detail` says what went wrong, if anything did. */
  readonly onState: (server: S, detail?: string) => void;
  /** Called after the tools changed, or whether they can be called. */
  readonly onTools: (server: S) => void;
  readonly onProblem: (server: S, message: string) => void;
  /** Takes secrets out of a message that the server influenced. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly live: { readonly settings: Settings };
  /** How long a server may be idle before it is stopped; default `settings.mcp.idleMs`. */
  readonly idleMs?: number;
  readonly backoffMs: readonly number[];
  /** How long a request for offers waits for the server's first list of them. */
  readonly offersWaitMs: number;
}
