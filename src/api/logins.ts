import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../lib/clock.ts";

const LINK_MS = 10 * 60_000;
const SESSION_MS = 12 * 3_600_000;
const MAX_KEPT = 100;

/**
 * People at the page: a link's code works once within ten minutes and becomes a session. Both live in memory
 * only, by their hash, and end with the process.
 */
export class Logins {
  readonly #clock: Clock;
  readonly #codes = new Map<string, number>();
  readonly #sessions = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  newCode(): { readonly code: string; readonly expiresAt: number } {
    const { secret: code, expiresAt } = this.#keep(this.#codes, LINK_MS);
    return { code, expiresAt };
  }

  /** The session a code opens; undefined when it is unknown, used or too old. */
  redeem(code: string): { readonly session: string; readonly maxAgeSeconds: number } | undefined {
    if (!this.#valid(this.#codes, code)) return undefined;
    this.#codes.delete(hash(code));
    return { session: this.#keep(this.#sessions, SESSION_MS).secret, maxAgeSeconds: SESSION_MS / 1000 };
  }

  knows(session: string | undefined): boolean {
    return session !== undefined && this.#valid(this.#sessions, session);
  }

  #keep(kept: Map<string, number>, lifeMs: number): { secret: string; expiresAt: number } {
    const now = this.#clock();
    for (const [key, expiresAt] of kept) if (expiresAt <= now || kept.size >= MAX_KEPT) kept.delete(key);
    const secret = randomBytes(32).toString("base64url");
    kept.set(hash(secret), now + lifeMs);
    return { secret, expiresAt: now + lifeMs };
  }

  #valid(kept: Map<string, number>, secret: string): boolean {
    const expiresAt = kept.get(hash(secret));
    return expiresAt !== undefined && expiresAt > this.#clock();
  }
}

function hash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
