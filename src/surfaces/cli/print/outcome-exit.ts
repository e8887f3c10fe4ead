import type { OutcomeName } from "../../../contract/tool.ts";

/** The exit code of `toolkeep call` for each outcome. */
export const OUTCOME_EXIT: Readonly<Record<OutcomeName, number>> = {
  ok: 0,
  failed: 1,
  timed_out: 1,
  cancelled: 1,
  unavailable: 1,
  internal_error: 1,
  invalid_arguments: 2,
  unknown_tool: 3,
  ambiguous_tool: 3,
  not_granted: 4,
  disabled: 4,
  pending_approval: 4,
  denied: 4,
  needs_approval: 4,
  needs_input: 4,
};
