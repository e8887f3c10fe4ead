import type { ServerState } from "../../api/contract.ts";
import { StateMark, type Tone } from "../../ui/badge.tsx";

/** How people say what state a server is in. */
export const STATES: Readonly<Record<ServerState, { readonly label: string; readonly tone: Tone }>> = {
  ready: { label: "Ready", tone: "ok" },
  idle: { label: "Idle", tone: "neutral" },
  connecting: { label: "Connecting", tone: "accent" },
  needs_auth: { label: "Needs sign-in", tone: "warn" },
  pending_approval: { label: "Waits for approval", tone: "warn" },
  unavailable: { label: "Unavailable", tone: "bad" },
  disabled: { label: "Disabled", tone: "neutral" },
  closed: { label: "Closed", tone: "neutral" },
};

export function ServerStateMark({ state }: { state: ServerState }) {
  const { label, tone } = STATES[state];
  return <StateMark tone={tone}>{label}</StateMark>;
}
