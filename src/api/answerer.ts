import type { FastifyRequest } from "fastify";
import { covers } from "../caller.ts";
import { ToolkeepError } from "../errors.ts";
import type { Answerer, AnswerMore } from "../questions/questions.ts";
import type { QuestionRecord } from "../store/store.ts";
import type { ApiContext } from "./api-options.ts";

/** What the command line says of itself; everybody who may answer may say it. */
const FROM_HEADER = "x-toolkeep-from";

/** Who answers a question by this request, and from where. */
export function answererOf(request: FastifyRequest, { admins }: Pick<ApiContext, "admins">): Answerer {
  const { actor, session } = admins.admitted(request);
  const from = session ? "dashboard" : request.headers[FROM_HEADER] === "cli" ? "cli" : "api";
  return { by: actor.name, from };
}

/** As `questions.answer`; FORBIDDEN for an answer that is more than whoever sent the request may give. */
export async function answerAs(
  request: FastifyRequest,
  context: Pick<ApiContext, "hub" | "admins">,
  { id, answer, more = {} }: { readonly id: string; readonly answer: string; readonly more?: AnswerMore },
): Promise<QuestionRecord> {
  const { questions } = context.hub;
  const isAdmin = covers(context.admins.admitted(request).role, "admin");
  if (answer === "always" && !isAdmin && (await questions.get(id))?.kind === "approval") {
    throw new ToolkeepError(
      "FORBIDDEN",
      "always writes a rule for all later calls, which only an admin may",
      {
        remedy: "Approve it once or for the conversation, or ask an admin.",
      },
    );
  }
  return questions.answer(id, answer, answererOf(request, context), more);
}
