import { defineRoute, type Route } from "../../../contract/define-route.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import * as shapes from "../../questions/contract.ts";
import { viewQuestion } from "../../questions/question-view.ts";
import type { Questions } from "../../questions/questions.ts";
import { answererOf } from "../../questions/routes.ts";
import { questionReview } from "./contract.ts";
import { type QuestionReviewDeps, reviewQuestion } from "./question-review.ts";

export interface ApprovalRouteDeps extends QuestionReviewDeps {
  readonly questions: Questions;
}

/** The successor of these routes came on 2026-11-18; the next version will not have them. */
const deprecated = { since: 1_794_960_000, successor: "/questions" };

/** What people see before they answer, and the routes that approvals had before they became questions. */
export function approvalRoutes(deps: ApprovalRouteDeps): readonly Route[] {
  const { questions } = deps;
  const answer = (record: shapes.QuestionRecord) => ({ approval: viewQuestion(deps, record) });

  async function findApproval(id: string): Promise<shapes.QuestionRecord> {
    const question = await questions.get(id);
    if (question?.kind === "approval" && question.batchId === null) return question;
    throw new ToolkeepError("NOT_FOUND", `There is no approval ${id}.`, {
      remedy: "toolkeep approval list shows those that wait.",
    });
  }

  return [
    defineRoute({
      method: "GET",
      path: "/questions/:id",
      summary:
        "Shows a question; of an approval also how the last such call differed, and what always would write",
      answer: questionReview,
      async handle({ params: { id } }) {
        const question = await questions.get(id);
        if (question?.batchId === null) return reviewQuestion(deps, question);
        throw new ToolkeepError("NOT_FOUND", `There is no question ${id}.`, {
          remedy: "toolkeep question list shows those that wait.",
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/approvals",
      deprecated,
      summary: "Lists the calls that wait for a person to approve them",
      query: shapes.approvalQuery,
      answer: shapes.approvalList,
      async handle({ query }) {
        const state = query.all ? {} : { state: "pending" as const };
        const approvals = await questions.list({ kind: "approval", ...state });
        return { approvals: approvals.map((record) => viewQuestion(deps, record)) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/approvals/:id",
      deprecated,
      summary: "Shows an approval",
      answer: shapes.approvalAnswer,
      handle: async ({ params }) => answer(await findApproval(params.id)),
    }),
    defineRoute({
      method: "POST",
      path: "/approvals/:id/approve",
      deprecated,
      role: "operator",
      summary: "Lets the call run: once, or all of this tool in the conversation or for ever",
      body: shapes.approvalYes,
      answer: shapes.approvalAnswer,
      async handle({ params, body, ...request }) {
        const { id } = await findApproval(params.id);
        const { for: span = "once", ...extras } = body ?? {};
        return answer(await questions.answer(id, span, answererOf(request), extras));
      },
    }),
    defineRoute({
      method: "POST",
      path: "/approvals/:id/reject",
      deprecated,
      role: "operator",
      summary: "Keeps the call from running; the caller is told the reason",
      body: shapes.approvalNo,
      answer: shapes.approvalAnswer,
      async handle({ params, body, ...request }) {
        const { id } = await findApproval(params.id);
        return answer(await questions.answer(id, "reject", answererOf(request), body ?? {}));
      },
    }),
  ];
}
