import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { QuestionRecord } from "../../../../machine/db/store.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import { answererOf } from "../../approvals/answerer.ts";
import { review } from "../../approvals/question-review.ts";
import type { QuestionAnswer, QuestionList, QuestionReview } from "../../contract.ts";
import { type NewestQuery, newestBefore, newestQuery, nextBefore } from "../../newest-page.ts";
import { byId, exactly } from "../../schema.ts";
import { questionView } from "../../views.ts";

const states = ["pending", "answered", "dismissed", "used", "settled"];

interface ById {
  Params: { id: string };
}

export function questionRoutes(app: FastifyInstance, context: ApiContext): void {
  const { hub } = context;
  app.get<{ Querystring: NewestQuery & { state?: QuestionRecord["state"] | "settled" } }>(
    "/questions",
    {
      schema: {
        summary:
          "Lists what agents ask of people, oldest first; the newest of it, and by cursor what is older",
        querystring: exactly({ state: { enum: states }, ...newestQuery }),
        response: gives("QuestionList"),
      },
    },
    async ({ query }): Promise<QuestionList> => {
      const page = newestBefore(query);
      const { state } = query;
      const found = await hub.questions.list({
        ...page,
        ...(state === "settled" ? { settled: true } : { state }),
      });
      // Those that expired are no longer pending: what is left of a full page may be less.
      const next = state === "pending" ? null : nextBefore(found, page.limit);
      return { questions: found.map((question) => questionView(hub, question)), next };
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

  app.post<ById & { Body: { answer: string } }>(
    "/questions/:id/answer",
    {
      schema: {
        role: "operator",
        summary: "Answers a question",
        params: byId,
        body: exactly({ answer: { type: "string", maxLength: 100_000 } }, ["answer"]),
        response: gives("QuestionAnswer"),
      },
    },
    async (request): Promise<QuestionAnswer> => {
      const { params, body } = request;
      const answered = await hub.questions.answer(params.id, body.answer, answererOf(request, context));
      return { question: questionView(hub, answered) };
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
