import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CheckState, Verification } from "./contract.ts";
import { ACKNOWLEDGED } from "./verify.ts";

export interface ChecksDeps {
  readonly verify: (
    onProgress: (checked: number, total: number) => void,
    signal: AbortSignal,
  ) => Promise<Verification>;
  readonly note: (
    kind: string,
    actor: string | null,
    subject: string | null,
    details: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  readonly clock: Clock;
}

/** A person looked at the findings, and gives a reason why they are no problem. */
export interface Acknowledgement {
  readonly actor: string;
  readonly reason: string;
}

/** Checks of the whole audit, one at a time. A check may take a minute, so that its state is asked for separately. */
export class AuditChecks {
  readonly #deps: ChecksDeps;
  readonly #stop = new AbortController();
  #last: CheckState | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: ChecksDeps) {
    this.#deps = deps;
  }

  get last(): CheckState | undefined {
    return this.#last;
  }

  /**
   * Starts a check, unless one is running. With an acknowledgement, the findings that the check lists no longer count;
   * then it throws IN_USE while a check is running, because that check would not know of the acknowledgement.
   */
  start(acknowledgement?: Acknowledgement): CheckState {
    if (this.#running && acknowledgement) throw checkRuns();
    if (!this.#running) {
      const startedAt = this.#deps.clock();
      this.#last = { state: "running", startedAt, endedAt: null, checked: 0, total: 0 };
      this.#running = this.#check(acknowledgement);
    }
    return this.#last!;
  }

  /** Resolves when the running check has ended. */
  async ended(): Promise<CheckState | undefined> {
    await this.#running;
    return this.#last;
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("Toolkeep is being stopped"));
    await this.#running;
  }

  async #check(acknowledgement: Acknowledgement | undefined): Promise<void> {
    const { verify, clock } = this.#deps;
    const progress = (checked: number, total: number) => {
      this.#last = { ...this.#last!, checked, total };
    };
    try {
      const result = acknowledgement
        ? await this.#acknowledge(acknowledgement, progress)
        : await verify(progress, this.#stop.signal);
      this.#last = { ...this.#last!, state: "done", endedAt: clock(), checked: result.checked, result };
    } catch (error) {
      this.#last = { ...this.#last!, state: "failed", endedAt: clock(), error: messageOf(error) };
    }
    this.#running = undefined;
  }

  async #acknowledge(
    { actor, reason }: Acknowledgement,
    progress: (checked: number, total: number) => void,
  ): Promise<Verification> {
    const { verify, note } = this.#deps;
    // Written first: what this process found when it started becomes a record, too, with a place that can be named.
    await note("audit.looked_at", actor, null, { reason });
    const { findings } = await verify(progress, this.#stop.signal);
    await Promise.all(
      findings.map(({ place, kind, message }) => note(ACKNOWLEDGED, actor, place, { kind, message, reason })),
    );
    return verify(progress, this.#stop.signal);
  }
}

function checkRuns(): ToolkeepError {
  return new ToolkeepError(
    "IN_USE",
    "A check of the audit is under way, and what it finds is not known yet.",
    {
      remedy: "Wait until it has ended, look at what it found, then acknowledge that.",
    },
  );
}
