import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Result } from "../../lib/result.ts";
import type { ServerRecord } from "../../machine/db/store.ts";
import type { ConnectFailure } from "../connection/connect.ts";
import type { Connection } from "../connection/connection.ts";
import type { ConnectAttempt } from "../connection/connector.ts";
import type { OfferList } from "../lists/offer-list.ts";
import type { ToolList } from "../lists/tool-list.ts";
import type { ServerRequest } from "../server-request.ts";

/** What a server needs of its surroundings; `S` is the server itself. */
export interface ServerDeps<S> {
  /** Opens a connection and lists the tools; never rejects, and leaves nothing behind when it fails. */
  readonly connect: (server: S, attempt: ConnectAttempt) => Promise<Result<Connection, ConnectFailure>>;
  /** Stores what a connection taught about the server; resolves with what that changed in its record. */
  readonly learn: (server: S, list: ToolList, connection: Connection) => Promise<Partial<ServerRecord>>;
  readonly learnOffers: (server: S, list: OfferList) => Promise<void>;
  /** Why a request may not go to the server although it could, such as that its tool has changed. */
  readonly refusal: (server: S, what: ServerRequest) => string | undefined;
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
  /** Without calls for this long a server is stopped. */
  readonly idleMs: () => number;
  readonly backoffMs: readonly number[];
  /** Whoever asks for offers waits this long for a server's first list of them. */
  readonly offersWaitMs: number;
}
