import type { ApiFailure } from "./contract.ts";

/** Why a request had no answer: what the daemon said, or that it could not be reached. */
export class Problem extends Error {
  readonly code: ApiFailure["error"]["code"] | "LOST";
  readonly remedy: string;
  /** 0 where there was no answer. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(failure: Omit<ApiFailure["error"], "code"> & { code: Problem["code"] }, status: number) {
    super(failure.message);
    this.code = failure.code;
    this.remedy = failure.remedy;
    this.status = status;
    this.details = failure.details;
  }

  /** The daemon may answer if asked again. */
  get isLost(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

export function lost(): Problem {
  return new Problem(
    {
      code: "LOST",
      message: "Toolkeep does not answer",
      remedy: "It is asked again by itself; look whether the daemon runs: toolkeep doctor.",
    },
    0,
  );
}

/** Whatever was thrown, as a problem. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Problem({ code: "INTERNAL", message, remedy: "Reload the page; report it if it stays." }, 500);
}
