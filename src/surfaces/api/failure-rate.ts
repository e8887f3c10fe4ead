import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../call/identity/identity.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { addressKey } from "../../lib/flow/rate-limits.ts";
import type { Settings } from "../../machine/config/settings.ts";

/** Counts a token, session or link that nobody knows against the address it came from. Throws RATE_LIMITED. */
export function countFailure(
  { socket }: Pick<FastifyRequest, "socket">,
  reply: FastifyReply,
  deps: {
    readonly identity: Pick<Identity, "failures">;
    readonly rateLimits: () => Pick<Settings["rateLimits"], "failuresPerMinute">;
  },
): void {
  const { failuresPerMinute } = deps.rateLimits();
  checkRate(deps.identity.failures.take(addressKey(socket.remoteAddress), failuresPerMinute), reply);
}

/** Throws RATE_LIMITED, with the header that says how long to wait. */
export function checkRate(waitMs: number, reply: FastifyReply): void {
  if (waitMs === 0) return;
  reply.header("retry-after", String(Math.ceil(waitMs / 1000)));
  throw new ToolkeepError(
    "RATE_LIMITED",
    "too many requests came with this token, or too many unknown tokens, sessions or links from this address",
  );
}
