export type { Challenge } from "../../machine/oauth-client/auth-record.ts";

/**
 * A person has to act before the server accepts requests again (`sign_in`), or before it accepts this one (`scope`: the
 * granted scopes suffice for other requests). `message` may be shown to models, `detail` to people; neither contains a
 * secret.
 */
export class NeedsAuthError extends Error {
  readonly kind: "sign_in" | "scope";
  readonly detail: string;

  constructor(kind: NeedsAuthError["kind"], detail: string) {
    super("authentication failed");
    // While probing, the SDK stops at an error of this name instead of trying another era.
    this.name = "UnauthorizedError";
    this.kind = kind;
    this.detail = detail;
  }
}

/** The `NeedsAuthError` that this error is or was caused by. */
export function findNeedsAuthError(error: unknown): NeedsAuthError | undefined {
  let cause = error;
  for (let depth = 0; depth < 10 && cause instanceof Error; depth++) {
    if (cause instanceof NeedsAuthError) return cause;
    cause = cause.cause;
  }
  return undefined;
}
