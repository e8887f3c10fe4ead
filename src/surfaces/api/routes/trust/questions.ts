import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { QuestionRecord } from "../../../../machine/db/store.ts";
import {
  QUESTION_KINDS,
  VISIBLE_STATES,
  type VisibleState,
} from "../../../../machine/db/tables/trust/question-record.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import { answererOf } from "../../approvals/answerer.ts";
import { review } from "../../approvals/question-review.ts";
import type { AnswerInput, QuestionAnswer, QuestionList, QuestionReview } from "../../contract.ts";
import { type NewestQuery, newestBefore, newestQuery, nextBefore } from "../../newest-page.ts";
import { byId, exactly, nameText } from "../../schema.ts";
import { questionView } from "../../views.ts";

/** What comes with the answer to an approval. */
export const reasonText = { type: "string", maxLength: 1_000 };
export const rulePattern = { type: ["string", "object"], minLength: 1, maxLength: 500, maxProperties: 20 };

interface ById {
  Params: { id: string };
}

interface QuestionQuery extends NewestQuery {
  readonly kind?: QuestionRecord["kind"];
  readonly state?: VisibleState | "settled";
  readonly agent?: string;
}

/** Everything that agents ask of people, approvals included. */
export function questionRoutes(app: FastifyInstance, context: ApiContext): void {
  const { hub } = context;
  app.get<{ Querystring: QuestionQuery }>(
    "/questions",
    {
      schema: {
        summary:
          "Lists what agents ask of people, oldest first; the newest of it, and by cursor what is older",
        querystring: exactly({
          kind: { enum: QUESTION_KINDS },
          state: { enum: [...VISIBLE_STATES, "settled"] },
          agent: nameText,
          ...newestQuery,
        }),
        response: gives("QuestionList"),
      },
    },
    async ({ query }): Promise<QuestionList> => {
      const { kind, state, agent } = query;
      const page = newestBefore(query);
      const agentId = agent === undefined ? undefined : hub.identity.agent(agent).id;
      const found = await hub.questions.list({ ...page, kind, state, agentId });
      return {
        questions: found.map((question) => questionView(hub, question)),
        next: nextBefore(found, page.limit),
      };
    },
  );

  app.get<ById>(
    "/questions/:id",
    {
      schema: {
        summary:
          "Shows a question; of an approval also how the last such call differed, and what always would write",
        params: byId,
        response: gives("QuestionReview"),
      },
    },
    async ({ params: { id } }): Promise<QuestionReview> => {
      const question = await hub.questions.get(id);
      if (question?.batchId === null) return review(hub, question);
      throw new ToolkeepError("NOT_FOUND", `There is no question ${id}.`, {
        remedy: "toolkeep question list shows those that wait.",
      });
    },
  );

  app.post<ById & { Body: AnswerInput }>(
    "/questions/:id/answer",
    {
      schema: {
        role: "operator",
        summary: "Answers a question; an approval by once, conversation, always or reject",
        params: byId,
        body: exactly(
          { answer: { type: "string", maxLength: 100_000 }, reason: reasonText, pattern: rulePattern },
          ["answer"],
        ),
        response: gives("QuestionAnswer"),
      },
    },
    async (request): Promise<QuestionAnswer> => {
      const { answer, ...more } = request.body;
      const who = answererOf(request, context);
      return {
        question: questionView(hub, await hub.questions.answer(request.params.id, answer, who, more)),
      };
    },
  );

  app.post<ById>(
    "/questions/:id/dismiss",
    {
      schema: {
        role: "operator",
        summary: "Dismisses a question",
        params: byId,
        response: gives("QuestionAnswer"),
      },
    },
    async (request): Promise<QuestionAnswer> => {
      const dismissed = await hub.questions.dismiss(request.params.id, answererOf(request, context));
      return { question: questionView(hub, dismissed) };
    },
  );
}
