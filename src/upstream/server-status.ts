import type { ToolStatus } from "../tool.ts";
import type { Definition } from "./definition.ts";
import { SIGN_IN_NEEDED } from "./delivery.ts";
import type { Failure } from "./server-failure.ts";
import type { ServerState } from "./upstream.ts";

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

export const REMOVED = "it was removed";

/** The state of a server that nobody uses. One whose last start failed is not idle: people must see that it is broken. */
export function restingState({ gate }: Definition, failure: Failure | null): ServerState {
  if (gate.kind === "open") return failure === null ? "idle" : "unavailable";
  return gate.kind === "broken" ? "unavailable" : gate.kind;
}

/** Why a server may not be started; undefined when it may. */
export function closedBecause({ gate }: Definition): string | undefined {
  return gate.kind === "open" ? undefined : gate.reason;
}

/** How every answer begins that a server cannot give. */
export function unavailable(name: string, reason: string | null): { kind: "unavailable"; reason: string } {
  const why = reason === null ? "" : `: ${reason}`;
  return { kind: "unavailable", reason: `mcp server ${name} is unavailable${why}` };
}
