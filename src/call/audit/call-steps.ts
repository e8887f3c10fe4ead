/** What a call does one after the other; `ask` or `prepare`, whichever it was, stands between `decide` and `run`. */
export const STEP_NAMES = ["resolve", "repair", "decide", "ask", "prepare", "run", "record"] as const;

export type StepName = (typeof STEP_NAMES)[number];

/** One step of a call that is over, in microseconds since the call began. */
export interface CallStep {
  readonly name: StepName;
  readonly from: number;
  readonly to: number;
}

/** How much of a call was behind it after each step: what is kept are these, in this order. */
interface Marks {
  resolved: number;
  checked: number;
  decided: number;
  ready: number;
  ran: number;
}

/** Notes when the steps of one call are over. Every call passes here: a look at the clock is all that a step costs. */
export class StepClock {
  readonly #startedAt = performance.now();
  readonly #marks: Marks = { resolved: -1, checked: -1, decided: -1, ready: -1, ran: -1 };

  mark(step: keyof Marks): void {
    this.#marks[step] = Math.round((performance.now() - this.#startedAt) * 1_000);
  }

  /** Null where not one was reached. */
  get text(): string | null {
    const { resolved, checked, decided, ready, ran } = this.#marks;
    return resolved < 0 && checked < 0 ? null : `${resolved},${checked},${decided},${ready},${ran}`;
  }
}

/** The steps of a call by what was kept of them; none of a call from before they were, or of something that is none. */
export function stepsOf(call: {
  readonly steps: string | null;
  readonly decision: string | null;
  readonly durationMs: number | null;
}): readonly CallStep[] {
  const marks = (call.steps ?? "").split(",").map(Number);
  if (marks.length !== 5 || marks.some((mark) => !Number.isSafeInteger(mark))) return [];
  const [resolved, checked, decided, ready, ran] = marks as [number, number, number, number, number];
  const ends: readonly [StepName, number][] = [
    ["resolve", resolved],
    ["repair", checked],
    ["decide", decided],
    [call.decision === "ask" ? "ask" : "prepare", ready],
    ["run", ran],
    // A call that was refused while it was asked about has no later mark; the rest of its time belongs there.
    [call.decision === "ask" && ready < 0 ? "ask" : "record", (call.durationMs ?? -1) * 1_000],
  ];
  const steps: CallStep[] = [];
  let from = 0;
  for (const [name, to] of ends) {
    if (to < from) continue;
    if (to > from || name !== "record") steps.push({ name, from, to });
    from = to;
  }
  return steps;
}
