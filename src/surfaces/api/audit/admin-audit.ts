import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Hub } from "../../../hub.ts";
import { addressKey } from "../../../lib/flow/rate-limits.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Admins } from "../admins.ts";
import { isReading } from "../route-role.ts";

const MAX_KEYS = 50;
const MAX_KEY = 60;
const MAX_SUBJECT = 200;
/** What they do is recorded as calls, with the person; or nothing is done at all. */
const CALLS: ReadonlySet<string> = new Set([
  "POST /api/call",
  "POST /api/call/stream",
  "POST /api/custom-tools/:name/try",
  "POST /api/access/preview",
  "POST /api/rules/check",
  "POST /api/rules/explain",
  "POST /api/rules/simulate",
]);

/**
 * Records every request that changes something, or was to, before it is answered: who, what with which keys (never their
 * values), and the status. Requests of nobody who is known are not recorded: anybody could fill the audit with them.
 */
export function recordActions(
  api: FastifyInstance,
  { hub, admins }: { readonly hub: Pick<Hub, "audit">; readonly admins: Pick<Admins, "admission"> },
): void {
  api.addHook("onSend", async (request, reply, payload) => {
    const admission = isReading(request.method) ? undefined : admins.admission(request);
    if (!admission || isCall(request, reply)) return payload;
    const { actor, role } = admission;
    await hub.audit.note("admin", actor.kind === "person" ? actor.name : actor.id, subjectOf(request), {
      by: actor.kind,
      ...(actor.kind === "token" && { label: actor.name }),
      role,
      route: routeOf(request),
      status: reply.statusCode,
      ...(isRecord(request.body) && { keys: keysOf(request.body) }),
    });
    return payload;
  });
}

/** Where a request to sign in came from. */
export function originOfLogin({ socket, headers }: FastifyRequest): Readonly<Record<string, string>> {
  return {
    address: addressKey(socket.remoteAddress),
    browser: (headers["user-agent"] ?? "").slice(0, MAX_SUBJECT),
  };
}

function isCall(request: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return statusCode < 400 && CALLS.has(routeOf(request));
}

function routeOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? "(none)"}`;
}

/** `agents/main`: the address without what all have in common, and without its query. */
function subjectOf({ url }: FastifyRequest): string {
  const [path = ""] = url.split("?", 1);
  return decoded(path.replace(/^\/api\//, "")).slice(0, MAX_SUBJECT);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function keysOf(body: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(body)
    .slice(0, MAX_KEYS)
    .map((key) => key.slice(0, MAX_KEY));
}
