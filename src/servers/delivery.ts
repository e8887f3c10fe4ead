import type { ToolResult } from "../contract/tool.ts";
import { unlessAborted } from "../lib/flow/unless-aborted.ts";
import { err, type Result } from "../lib/result.ts";
import type { ServerConfig } from "../machine/config/settings.ts";
import type { ConnectFailure } from "./connection/connect.ts";
import type { Connection } from "./connection/connection.ts";
import type { CallEnd } from "./connection/failure.ts";
import type { ConnectionCall } from "./connection-call.ts";

/** What trying to connect comes to. */
export type Opened = Result<Connection, ConnectFailure>;
/** What is done over a connection that is lent. */
export type Work<T> = (connection: Connection) => Promise<T>;

export interface Delivery {
  readonly retry: ServerConfig["retry"];
  /** Running the call twice does no harm. */
  readonly repeatable: boolean;
  /** The connection to use, opened where there is none; never rejects. */
  readonly connection: () => Opened | Promise<Opened>;
  /** Asked when there is a connection: opening one may show that the tool has changed. */
  readonly refusal?: () => string | undefined;
  /** Told of every end before anything else is made of it. */
  readonly onEnd: (connection: Connection, end: CallEnd) => void;
}

/**
 * Sends a call; a second time, over a new connection, only where the transport died and `retry` allows it. A call
 * that timed out, was cancelled or was answered with an error is never sent again.
 */
export function deliver(call: ConnectionCall, how: Delivery, isRepeated = false): Promise<ToolResult> {
  const ready = how.connection();
  return ready instanceof Promise
    ? openedUnlessAborted(how.connection, call.signal, ready).then((opened) =>
        sendOver(opened, call, how, isRepeated),
      )
    : sendOver(ready, call, how, isRepeated);
}

function sendOver(
  opened: Opened,
  call: ConnectionCall,
  how: Delivery,
  isRepeated: boolean,
): Promise<ToolResult> {
  if (!opened.ok) return Promise.resolve(notOpened(opened.error));
  const refusal = how.refusal?.();
  if (refusal !== undefined)
    return Promise.resolve({ kind: "unavailable", message: refusal, isUnsent: true });
  const connection = opened.value;
  return connection.send(call).then((end) => {
    how.onEnd(connection, end);
    if (end.kind !== "lost" || isRepeated || call.stop.aborted || !mayRepeat(end.sent, how))
      return resultOf(end);
    const again = deliver(call, how, true);
    return end.sent ? again.then(asSent) : again;
  });
}

/** The first time it may have arrived, whatever became of the second. */
function asSent(result: ToolResult): ToolResult {
  return result.kind === "unavailable" ? { kind: "unavailable", message: result.message } : result;
}

function notOpened({ message, needsAuth }: ConnectFailure): ToolResult {
  return { kind: "unavailable", message: needsAuth ? SIGN_IN_NEEDED : message, isUnsent: true };
}

/** A caller learns nothing about tokens and scopes; people see those elsewhere. */
export const SIGN_IN_NEEDED = "authentication failed";

function resultOf(end: CallEnd): ToolResult {
  switch (end.kind) {
    case "lost":
      return {
        kind: "unavailable",
        message: `the connection was lost during the call: ${end.message}`,
        ...(!end.sent && { isUnsent: true }),
      };
    case "needs_auth":
      return { kind: "unavailable", message: SIGN_IN_NEEDED };
    default:
      return end;
  }
}

function mayRepeat(sent: boolean, { retry, repeatable }: Delivery): boolean {
  return retry === "once" || (retry === "safe" && (!sent || repeatable));
}

/** How often somebody who waits for a connection begins to wait again because the server is changed meanwhile. */
const MAX_INTERRUPTIONS = 20;

/** Waits for a connection, and for the next one where opening it was interrupted. */
export async function openedDespiteChanges(
  open: () => Opened | Promise<Opened>,
  isGivenUp: () => boolean,
  first: Opened | Promise<Opened> = open(),
): Promise<Opened> {
  let opened = await first;
  for (let count = 0; count < MAX_INTERRUPTIONS; count++) {
    if (opened.ok || !opened.error.isInterrupted || isGivenUp()) break;
    opened = await open();
  }
  return opened;
}

/** The same for a call. When the signal aborts it gives up waiting, not the work. */
export async function openedUnlessAborted(
  open: () => Opened | Promise<Opened>,
  signal: AbortSignal,
  first?: Promise<Opened>,
): Promise<Opened> {
  try {
    return await unlessAborted(
      openedDespiteChanges(open, () => signal.aborted, first),
      signal,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    return err({ message: "the call was given up before the server was ready", needsAuth: false });
  }
}
