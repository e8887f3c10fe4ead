import type { FastifyInstance, FastifyReply } from "fastify";
import type { ApiContext } from "../api-options.ts";
import type { Logins } from "../logins.ts";
import { sessionCookie, sessionOf } from "../session-cookie.ts";
import { STYLESHEET, signInPage, statusPage } from "../status-page.ts";
import { questionView } from "../views.ts";
import { currentStatus } from "./status.ts";

/** The page for people: what runs here, what waits for them. No script, nothing from elsewhere. */
export function pageRoutes(app: FastifyInstance, context: ApiContext, logins: Logins): void {
  const { hub } = context;

  app.addHook("onRequest", async (_request, reply) => {
    reply.headers({
      "content-security-policy":
        "default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  });

  app.get("/", async (request, reply) => {
    if (!logins.knows(sessionOf(request))) return html(reply.code(401), signInPage());
    const questions = await hub.questions.list({ state: "pending" });
    return html(
      reply,
      statusPage({
        status: await currentStatus(context),
        servers: hub.upstream.servers(),
        agents: hub.identity.agents(),
        questions: questions.map((question) => questionView(hub, question)),
      }),
    );
  });

  // No HEAD: what looks at links in advance must not use them up.
  app.get<{ Querystring: { code?: string } }>("/login", { exposeHeadRoute: false }, (request, reply) => {
    const login = logins.redeem(String(request.query.code ?? ""));
    if (!login)
      return html(reply.code(401), signInPage("This link was used already or is older than ten minutes."));
    const cookie = sessionCookie(login.session, login.maxAgeSeconds, context.options.url());
    return reply.header("set-cookie", cookie).redirect("/", 303);
  });

  app.get("/style.css", (_request, reply) => reply.type("text/css; charset=utf-8").send(STYLESHEET));
}

function html(reply: FastifyReply, page: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(page);
}
