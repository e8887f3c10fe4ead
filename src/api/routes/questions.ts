import type { FastifyInstance } from "fastify";
import type { QuestionRecord } from "../../store/store.ts";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { QuestionAnswer, QuestionList } from "../contract.ts";
import { byId, exactly } from "../schema.ts";
import { questionView } from "../views.ts";

const states = ["pending", "answered", "dismissed", "used"];

interface ById {
  Params: { id: string };
}

export function questionRoutes(app: FastifyInstance, { hub }: ApiContext): void {
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

  app.post<ById & { Body: { answer: string } }>(
    "/questions/:id/answer",
    {
      schema: {
        summary: "Answers a question",
        params: byId,
        body: exactly({ answer: { type: "string", maxLength: 100_000 } }, ["answer"]),
        response: gives("QuestionAnswer"),
      },
    },
    async ({ params, body }): Promise<QuestionAnswer> => {
      return { question: questionView(hub, await hub.questions.answer(params.id, body.answer)) };
    },
  );

  app.post<ById>(
    "/questions/:id/dismiss",
    { schema: { summary: "Dismisses a question", params: byId, response: gives("QuestionAnswer") } },
    async ({ params }): Promise<QuestionAnswer> => {
      return { question: questionView(hub, await hub.questions.dismiss(params.id)) };
    },
  );
}
