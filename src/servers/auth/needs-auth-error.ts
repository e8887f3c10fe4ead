export type { Challenge } from "../../machine/oauth-client/auth-record.ts";

/**
 * A person has to act before this server takes requests again (`sign_in`), or before it takes this one (`scope`:
 * what was granted does for other requests). `message` may be shown to models, `detail` to people; neither holds a
 * secret.
 */
export class NeedsAuthError extends Error {
  readonly kind: "sign_in" | "scope";
  readonly detail: string;

  constructor(kind: NeedsAuthError["kind"], detail: string) {
    super("authentication failed");
    // The SDK, which asks a server first what it speaks, gives up on an error of this name instead of guessing on.
    this.name = "UnauthorizedError";
    this.kind = kind;
    this.detail = detail;
  }
}

/** The `NeedsAuthError` that this error is or was caused by. */
export function needsAuth(error: unknown): NeedsAuthError | undefined {
  let cause = error;
  for (let depth = 0; depth < 10 && cause instanceof Error; depth++) {
    if (cause instanceof NeedsAuthError) return cause;
    cause = cause.cause;
  }
  return undefined;
}
