import { StateMark, type Tone } from "../../ui/badge.tsx";

/** How people say how a call ended. */
export const OUTCOMES: Readonly<Record<string, readonly [string, Tone]>> = {
  ok: ["Done", "ok"],
  failed: ["Failed", "bad"],
  timed_out: ["Took too long", "bad"],
  cancelled: ["Cancelled", "neutral"],
  unknown_tool: ["No such tool", "warn"],
  ambiguous_tool: ["Several such tools", "warn"],
  not_granted: ["Not granted", "warn"],
  disabled: ["Disabled", "neutral"],
  pending_approval: ["Server not approved", "warn"],
  unavailable: ["Unavailable", "bad"],
  invalid_arguments: ["Wrong arguments", "warn"],
  denied: ["Denied", "bad"],
  needs_approval: ["Asked a person", "accent"],
  needs_input: ["Asked back", "accent"],
  internal_error: ["Error in Toolkeep", "bad"],
};

export function OutcomeMark({ outcome }: { outcome: string | null }) {
  const [words, tone] =
    outcome === null ? (["Runs", "accent"] as const) : (OUTCOMES[outcome] ?? [outcome, "neutral"]);
  return <StateMark tone={tone}>{words}</StateMark>;
}
