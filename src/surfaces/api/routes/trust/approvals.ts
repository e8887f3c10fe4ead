import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { QuestionRecord } from "../../../../machine/db/store.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import { answererOf } from "../../approvals/answerer.ts";
import type { ApprovalAnswer, ApprovalList, ApprovalYes } from "../../contract.ts";
import { byId, exactly } from "../../schema.ts";
import { questionView } from "../../views.ts";

const reason = { type: "string", maxLength: 1_000 };
const yes = orNothing({
  for: { enum: ["once", "conversation", "always"] },
  pattern: { type: ["string", "object"], minLength: 1, maxLength: 500, maxProperties: 20 },
});

interface ById {
  Params: { id: string };
}

/** The questions that are approvals, by what people do with them. */
export function approvalRoutes(app: FastifyInstance, context: ApiContext): void {
  const { hub } = context;
  const answer = (question: QuestionRecord): ApprovalAnswer => ({ approval: questionView(hub, question) });

  async function approval(id: string): Promise<QuestionRecord> {
    const question = await hub.questions.get(id);
    if (question?.kind === "approval" && question.batchId === null) return question;
    throw new ToolkeepError("NOT_FOUND", `There is no approval ${id}.`, {
      remedy: "toolkeep approval list shows those that wait.",
    });
  }

  app.get<{ Querystring: { all?: boolean } }>(
    "/approvals",
    {
      schema: {
        summary: "Lists the calls that wait for a person to approve them",
        querystring: exactly({ all: { type: "boolean" } }),
        response: gives("ApprovalList"),
      },
    },
    async ({ query }): Promise<ApprovalList> => {
      const questions = await hub.questions.list(query.all ? {} : { state: "pending" });
      const approvals = questions.filter(({ kind }) => kind === "approval");
      return { approvals: approvals.map((question) => questionView(hub, question)) };
    },
  );

  app.get<ById>(
    "/approvals/:id",
    { schema: { summary: "Shows an approval", params: byId, response: gives("ApprovalAnswer") } },
    async ({ params }) => answer(await approval(params.id)),
  );

  app.post<ById & { Body?: ApprovalYes }>(
    "/approvals/:id/approve",
    {
      schema: {
        role: "operator",
        summary: "Lets the call run: once, or all of this tool in the conversation or for ever",
        params: byId,
        body: yes,
        response: gives("ApprovalAnswer"),
      },
    },
    async (request) => {
      const { id } = await approval(request.params.id);
      const { for: span = "once", pattern } = request.body ?? {};
      const more = pattern === undefined ? {} : { pattern };
      return answer(await hub.questions.answer(id, span, answererOf(request, context), more));
    },
  );

  app.post<ById & { Body?: { reason?: string } }>(
    "/approvals/:id/reject",
    {
      schema: {
        role: "operator",
        summary: "Keeps the call from running; the caller is told the reason",
        params: byId,
        body: orNothing({ reason }),
        response: gives("ApprovalAnswer"),
      },
    },
    async (request) => {
      const { id } = await approval(request.params.id);
      const said = request.body?.reason;
      const more = said === undefined ? {} : { reason: said };
      return answer(await hub.questions.answer(id, "reject", answererOf(request, context), more));
    },
  );
}

/** A body that may be left out. */
function orNothing(properties: Record<string, object>): object {
  return { ...exactly(properties), type: ["object", "null"] };
}
