import {
  DONE,
  defineRoute,
  done,
  newestBefore,
  nextBefore,
  type Route,
  type RouteRequest,
} from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import { pick } from "../../contract/shape.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Answerer } from "./answers.ts";
import * as shapes from "./contract.ts";
import { type QuestionViewDeps, viewQuestion } from "./question-view.ts";
import type { Questions } from "./questions.ts";
import type { NotificationTable } from "./tables.ts";

export interface QuestionRouteDeps extends QuestionViewDeps {
  readonly questions: Questions;
  readonly agents: {
    /** Throws NOT_FOUND for a name that no agent has. */
    id(name: string): string;
    name(id: string): string;
  };
  readonly notifications: NotificationTable;
  /** The name of the server that a notification asks people to decide about; undefined: it asks for no decision. */
  readonly awaitedServer: (notificationId: string) => string | undefined;
  readonly events: Events;
  readonly clock: Clock;
}

/** Everything that agents ask of people, approvals included. */
export function questionRoutes(deps: QuestionRouteDeps): readonly Route[] {
  const { questions, agents } = deps;
  return [
    defineRoute({
      method: "GET",
      path: "/questions",
      summary: "Lists what agents ask of people, oldest first; the newest of it, and by cursor what is older",
      query: shapes.questionQuery,
      answer: shapes.questionList,
      async handle({ query }) {
        const { kind, state, agent } = query;
        const page = newestBefore(query);
        const agentId = agent === undefined ? undefined : agents.id(agent);
        const records = await questions.list({ ...page, kind, state, agentId });
        return {
          questions: records.map((record) => viewQuestion(deps, record)),
          next: nextBefore(records, page.limit),
        };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/questions/:id/answer",
      role: "operator",
      summary: "Answers a question; an approval by once, conversation, always or reject",
      body: shapes.answerInput,
      answer: shapes.questionAnswer,
      async handle({ params, body: { answer, ...extras }, ...request }) {
        const answered = await questions.answer(params.id, answer, answererOf(request), extras);
        return { question: viewQuestion(deps, answered) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/questions/:id/dismiss",
      role: "operator",
      summary: "Dismisses a question",
      answer: shapes.questionAnswer,
      async handle({ params, ...request }) {
        const dismissed = await questions.dismiss(params.id, answererOf(request));
        return { question: viewQuestion(deps, dismissed) };
      },
    }),
    ...notificationRoutes(deps),
  ];
}

/** Whoever sent this request, as the one who answers a question. */
export function answererOf({ by, from }: Pick<RouteRequest, "by" | "from">): Answerer {
  return { by: by.name, from, role: by.role };
}

function notificationRoutes(deps: QuestionRouteDeps): readonly Route[] {
  const { notifications, awaitedServer, agents, events, clock } = deps;
  const view = (record: shapes.NotificationRecord): shapes.NotificationView =>
    pick(shapes.notificationView, {
      ...record,
      agent: record.agentId === null ? null : agents.name(record.agentId),
      undecided: record.dismissedAt === null && awaitedServer(record.id) !== undefined,
    });
  return [
    defineRoute({
      method: "GET",
      path: "/notifications",
      summary: "Lists what people should know, oldest first; the newest of it, and by cursor what is older",
      query: shapes.notificationQuery,
      answer: shapes.notificationList,
      async handle({ query }) {
        const page = newestBefore(query);
        const dismissed = query.state === "dismissed" ? "only" : query.state !== "open" && query.dismissed;
        const records = await notifications.list({ dismissed, ...page });
        return { notifications: records.map(view), next: nextBefore(records, page.limit) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/notifications/:id/dismiss",
      role: "operator",
      summary: "Dismisses a notification",
      answer: done,
      async handle({ params: { id } }) {
        const server = awaitedServer(id);
        if (server !== undefined) throw stillUndecided(server);
        await notifications.dismiss(id, clock());
        events.emit("notification.dismissed", { id });
        return DONE;
      },
    }),
  ];
}

/** A notification that asks for a decision stays visible until there is one. */
function stillUndecided(server: string): ToolkeepError {
  return new ToolkeepError(
    "IN_USE",
    `the notification stays until somebody decides about the MCP server ${server}`,
    {
      remedy: `Decide: toolkeep server approve ${server}, or toolkeep server remove ${server}.`,
    },
  );
}
