import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { QuestionRecord } from "../../../../call/questions/contract.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { isRecord } from "../../../../lib/json.ts";
import type { ApiContext } from "../../api-options.ts";
import { type ApprovalLinks, linkAnswers } from "../../approvals/approval-links.ts";
import { ANSWER_PATH } from "../../approvals/approval-webhook.ts";
import { countFailure } from "../../failure-rate.ts";
import { html, type Markup } from "../../pages/html.ts";
import { PAGE_HEADERS, takeForms } from "../../pages/page-headers.ts";
import { noticePage } from "../../pages/small-pages.ts";

const MAX_BY = 100;

interface ByKey {
  Params: { "*": string };
}

/**
 * The page that the link of an announcement opens. It needs no token, because the link is one. GET changes nothing, because
 * programs open links in advance; only POST answers, with `once` or `reject`, and only while the approval waits. What only an
 * admin may approve can only be rejected here, because nobody knows who has the link.
 */
export function approvalAnswerRoutes(
  app: FastifyInstance,
  { hub, options }: ApiContext,
  links: ApprovalLinks,
): void {
  takeForms(app);
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(PAGE_HEADERS);
  });

  app.get<ByKey>(`${ANSWER_PATH}*`, { exposeHeadRoute: false }, async (request, reply) => {
    const found = await find(request, reply);
    if (typeof found === "string") return page(reply, html`<p>${found}</p>`);
    return page(reply, form(found));
  });

  app.post<ByKey>(`${ANSWER_PATH}*`, async (request, reply) => {
    const wantsPage = String(request.headers["content-type"]).startsWith("application/x-www-form-urlencoded");
    const said = await answer(request, reply);
    return wantsPage
      ? page(reply, html`<p>${said}</p>`)
      : reply.send({ done: reply.statusCode === 200, message: said });
  });

  /** The waiting approval; otherwise a sentence, and the status that goes with it is set. */
  async function find(request: FastifyRequest<ByKey>, reply: FastifyReply): Promise<QuestionRecord | string> {
    const opened = links.open(request.params["*"]);
    if (!opened.ok) {
      countFailure(request, reply, { identity: hub.identity, rateLimits: () => hub.settings.rateLimits });
      reply.code(404);
      return opened.error;
    }
    const question = await hub.questions.get(opened.value);
    if (question?.state === "pending" && question.expiresAt > options.clock()) return question;
    reply.code(409);
    return "This was answered already, or is over.";
  }

  async function answer(request: FastifyRequest<ByKey>, reply: FastifyReply): Promise<string> {
    const found = await find(request, reply);
    if (typeof found === "string") return found;
    const { answer: said, reason, by } = fieldsOf(request.body);
    if (said !== "once" && said !== "reject") {
      reply.code(400);
      return 'The answer has to be "once" or "reject".';
    }
    const who = typeof by === "string" && by !== "" ? `${by.slice(0, MAX_BY)}, by the link` : "the link";
    const more = said === "reject" && typeof reason === "string" && reason !== "" ? { reason } : {};
    try {
      await hub.questions.answer(found.id, said, { by: who, from: "webhook", role: "operator" }, more);
      return said === "once" ? "Approved: the call may run once." : "Rejected.";
    } catch (error) {
      if (!(error instanceof ToolkeepError)) throw error;
      reply.code(error.status);
      return error.message;
    }
  }
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body instanceof URLSearchParams) return Object.fromEntries(body);
  return isRecord(body) ? body : {};
}

function form({ prompt, details }: QuestionRecord): Markup {
  const isForAdmins = !linkAnswers(details).includes("once");
  const calls = Array.isArray(details.calls) ? details.calls : [details];
  return html`
    <p>${prompt}</p>
    ${calls.map((call) => html`<p><code>${call.tool} ${call.arguments}</code></p>`)}
    ${isForAdmins ? html`<p>Only an admin may say yes to this, on the dashboard or with toolkeep approval approve.</p>` : ""}
    <form method="post">
      <p><label>Reason of a rejection <input name="reason" maxlength="1000"></label></p>
      <p>${isForAdmins ? "" : html`<button name="answer" value="once">Let it run once</button>`}
      <button name="answer" value="reject">Reject</button></p>
    </form>`;
}

function page(reply: FastifyReply, content: Markup): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(noticePage(content));
}
