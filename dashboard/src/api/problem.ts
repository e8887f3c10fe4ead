import type { ApiFailure } from "./contract.ts";

/** Why a request failed: the daemon's error, or that the daemon could not be reached. */
export class Problem extends Error {
  readonly code: ApiFailure["error"]["code"] | "UNREACHABLE";
  readonly remedy: string;
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(failure: Omit<ApiFailure["error"], "code"> & { code: Problem["code"] }, status: number) {
    super(failure.message);
    this.code = failure.code;
    this.remedy = failure.remedy;
    this.status = status;
    this.details = failure.details;
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

export function unreachableProblem(): Problem {
  return new Problem(
    {
      code: "UNREACHABLE",
      message: "Toolkeep is not responding",
      remedy: "The page keeps trying. To check the daemon, run: toolkeep doctor",
    },
    0,
  );
}

/** Wraps anything that was thrown in a `Problem`. */
export function toProblem(cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new Problem(
    { code: "INTERNAL", message, remedy: "Reload the page. If it happens again, report a bug." },
    500,
  );
}
