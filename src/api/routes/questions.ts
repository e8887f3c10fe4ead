import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../errors.ts";
import type { QuestionRecord } from "../../store/store.ts";
import { answererOf } from "../answerer.ts";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { QuestionAnswer, QuestionList, QuestionReview } from "../contract.ts";
import { review } from "../question-review.ts";
import { byId, exactly } from "../schema.ts";
import { questionView } from "../views.ts";

const states = ["pending", "answered", "dismissed", "used"];

interface ById {
  Params: { id: string };
}

export function questionRoutes(app: FastifyInstance, context: ApiContext): void {
  const { hub } = context;
  app.get<{ Querystring: { state?: QuestionRecord["state"] } }>(
    "/questions",
    {
      schema: {
        summary: "Lists what agents ask of people",
        querystring: exactly({ state: { enum: states } }),
        response: gives("QuestionList"),
      },
    },
    async ({ query: { state } }): Promise<QuestionList> => {
      const questions = await hub.questions.list(state === undefined ? {} : { state });
      return { questions: questions.map((question) => questionView(hub, question)) };
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
