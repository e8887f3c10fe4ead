import { StateMark, type Tone } from "../../ui/badge.tsx";

/** The outcomes of a call, as people read them. */
export const OUTCOMES: Readonly<Record<string, readonly [string, Tone]>> = {
  ok: ["Succeeded", "ok"],
  failed: ["Failed", "bad"],
  timed_out: ["Timed out", "bad"],
  cancelled: ["Cancelled", "neutral"],
  unknown_tool: ["Unknown tool", "warn"],
  ambiguous_tool: ["Ambiguous tool", "warn"],
  not_granted: ["Not granted", "warn"],
  disabled: ["Disabled", "neutral"],
  pending_approval: ["Server not approved", "warn"],
  unavailable: ["Unavailable", "bad"],
  invalid_arguments: ["Invalid arguments", "warn"],
  denied: ["Denied", "bad"],
  needs_approval: ["Needs approval", "accent"],
  needs_input: ["Needs input", "accent"],
  internal_error: ["Internal error", "bad"],
};

export function OutcomeMark({ outcome }: { outcome: string | null }) {
  const [label, tone] =
    outcome === null ? (["Running", "accent"] as const) : (OUTCOMES[outcome] ?? [outcome, "neutral"]);
  return <StateMark tone={tone}>{label}</StateMark>;
}
