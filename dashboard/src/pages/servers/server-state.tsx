import type { ServerState, ServerView } from "../../api/contract.ts";
import { StateMark, type Tone } from "../../ui/badge.tsx";

/** The states of a server, as people read them. */
export const STATES: Readonly<Record<ServerState, { readonly label: string; readonly tone: Tone }>> = {
  ready: { label: "Ready", tone: "ok" },
  idle: { label: "Idle", tone: "neutral" },
  connecting: { label: "Connecting", tone: "accent" },
  needs_auth: { label: "Needs sign-in", tone: "warn" },
  pending_approval: { label: "Needs approval", tone: "warn" },
  unavailable: { label: "Failed", tone: "bad" },
  disabled: { label: "Disabled", tone: "neutral" },
  closed: { label: "Closed", tone: "neutral" },
};

/** Shows an idle server with an error as failed: its last start failed, and so would the next call. */
export function displayState({ state, lastError }: Pick<ServerView, "state" | "lastError">): ServerState {
  return state === "idle" && lastError !== null ? "unavailable" : state;
}

export function ServerStateMark({ server }: { server: Pick<ServerView, "state" | "lastError"> }) {
  const { label, tone } = STATES[displayState(server)];
  return <StateMark tone={tone}>{label}</StateMark>;
}
