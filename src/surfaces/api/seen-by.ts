import type { FastifyRequest } from "fastify";
import { covers } from "../../contract/caller.ts";
import { EVERYTHING } from "../../features/knowledge/access.ts";
import type { Access } from "../../features/knowledge/knowledge.ts";
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
