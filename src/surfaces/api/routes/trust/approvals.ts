import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { QuestionRecord } from "../../../../machine/db/store.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import { answererOf } from "../../approvals/answerer.ts";
import type { ApprovalAnswer, ApprovalList, ApprovalYes } from "../../contract.ts";
import { byId, exactly } from "../../schema.ts";
import { questionView } from "../../views.ts";
import { reasonText, rulePattern } from "./questions.ts";

/** RFC 9745, since 2026-11-18. The next version has these routes no more. */
const DEPRECATION = { deprecation: "@1794960000", link: '</api/questions>; rel="successor-version"' };

const yes = orNothing({ for: { enum: ["once", "conversation", "always"] }, pattern: rulePattern });

interface ById {
  Params: { id: string };
}

/** The routes that approvals had before they were `/questions` of the kind `approval`: the same facts under other names. */
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
      onRequest: deprecate,
      schema: {
        deprecated: true,
        summary: "Lists the calls that wait for a person to approve them",
        querystring: exactly({ all: { type: "boolean" } }),
        response: gives("ApprovalList"),
      },
    },
    async ({ query }): Promise<ApprovalList> => {
      const approvals = await hub.questions.list({
        kind: "approval",
        ...(query.all ? {} : { state: "pending" }),
      });
      return { approvals: approvals.map((question) => questionView(hub, question)) };
    },
  );

  app.get<ById>(
    "/approvals/:id",
    {
      onRequest: deprecate,
      schema: {
        deprecated: true,
        summary: "Shows an approval",
        params: byId,
        response: gives("ApprovalAnswer"),
      },
    },
    async ({ params }) => answer(await approval(params.id)),
  );

  app.post<ById & { Body?: ApprovalYes }>(
    "/approvals/:id/approve",
    {
      onRequest: deprecate,
      schema: {
        deprecated: true,
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
      onRequest: deprecate,
      schema: {
        deprecated: true,
        role: "operator",
        summary: "Keeps the call from running; the caller is told the reason",
        params: byId,
        body: orNothing({ reason: reasonText }),
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

async function deprecate(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(DEPRECATION);
}

/** A body that may be left out. */
function orNothing(properties: Record<string, object>): object {
  return { ...exactly(properties), type: ["object", "null"] };
}
