import type { FastifyRequest } from "fastify";
import type { Answerer } from "../../../call/questions/answers.ts";
import type { ApiContext } from "../api-options.ts";

/** What the command line says of itself; everybody who may answer may say it. */
const FROM_HEADER = "x-toolkeep-from";

/** Who answers a question by this request, from where, and with which role. */
export function answererOf(request: FastifyRequest, { admins }: Pick<ApiContext, "admins">): Answerer {
  const { actor, session, role } = admins.admitted(request);
  const from = session ? "dashboard" : request.headers[FROM_HEADER] === "cli" ? "cli" : "api";
  return { by: actor.name, from, role };
}
