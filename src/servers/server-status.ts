import type { ToolStatus } from "../contract/tool.ts";
import type { ServerState } from "../upstream/upstream.ts";
import type { ConnectFailure } from "./connection/connect.ts";
import { SIGN_IN_NEEDED } from "./delivery.ts";
import type { Definition } from "./lifecycle/definition.ts";
import type { Failure } from "./server-failure.ts";

/** Whether a server's tools can be called; an idle server counts, because a call starts it. */
export function statusOf(
  { gate, record }: Definition,
  server: { readonly state: ServerState; readonly isPausing: boolean; readonly failure: Failure | null },
): ToolStatus {
  switch (gate.kind) {
    case "disabled":
    case "pending_approval":
      return { kind: gate.kind, reason: gate.reason };
    case "broken":
      return unavailable(record.name, gate.reason);
    default:
      if (server.state === "closed") return unavailable(record.name, REMOVED);
      if (server.state === "needs_auth") return unavailable(record.name, SIGN_IN_NEEDED);
      return server.isPausing
        ? unavailable(record.name, server.failure?.message ?? null)
        : { kind: "active" };
  }
}

const REMOVED = "it was removed";

/** An attempt to connect that ended because the server is to be reached anew. */
export const INTERRUPTED = {
  message: "it was disconnected while it was connecting",
  needsAuth: false,
  isInterrupted: true,
} as const;

/** The state of a server that nobody uses. One whose last start failed is not idle: people must see that it is broken. */
export function restingState({ gate }: Definition, failure: Failure | null): ServerState {
  if (gate.kind === "open") return failure === null ? "idle" : "unavailable";
  return gate.kind === "broken" ? "unavailable" : gate.kind;
}

/** Why nothing may be started now, whoever asks: a call that waited may ask after the server was taken away. */
export function shutBecause({ gate }: Definition, isClosed: boolean): ConnectFailure | undefined {
  if (isClosed) return { message: REMOVED, needsAuth: false };
  return gate.kind === "open" ? undefined : { message: gate.reason, needsAuth: false };
}

/** Never stopped for want of calls. */
export function isKept({ config: { connect, keepAlive } }: Definition): boolean {
  return keepAlive || connect === "eager";
}

/** How every answer begins that a server cannot give. */
export function unavailable(name: string, reason: string | null): { kind: "unavailable"; reason: string } {
  const why = reason === null ? "" : `: ${reason}`;
  return { kind: "unavailable", reason: `mcp server ${name} is unavailable${why}` };
}
