import type { FastifyRequest } from "fastify";
import { covers } from "../caller.ts";
import { EVERYTHING } from "../knowledge/access.ts";
import type { Access } from "../knowledge/knowledge.ts";
import { actingOf } from "./admins.ts";
import type { ApiContext } from "./api-options.ts";

/** Who looks after the installation sees whatever label it bears; viewers see what bears none. */
export function seenBy(request: FastifyRequest, { admins }: Pick<ApiContext, "admins">): Access {
  const { role } = actingOf(admins.admitted(request));
  return covers(role, "operator") ? EVERYTHING : { labels: [] };
}

/** As changes are signed. */
export function signedBy(request: FastifyRequest, { admins }: Pick<ApiContext, "admins">): string {
  return actingOf(admins.admitted(request)).person ?? "operator";
}
