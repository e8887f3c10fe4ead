import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiContext } from "../api-options.ts";
import type { Logins } from "../logins.ts";
import { STYLESHEET, signInPage, statusPage } from "../status-page.ts";
import { questionView } from "../views.ts";
import { currentStatus } from "./status.ts";

const COOKIE = "toolkeep_session";

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
    const secure = context.options.url().startsWith("https:") ? "; Secure" : "";
    const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${login.maxAgeSeconds}${secure}`;
    return reply.header("set-cookie", `${COOKIE}=${login.session}; ${attributes}`).redirect("/", 303);
  });

  app.get("/style.css", (_request, reply) => reply.type("text/css; charset=utf-8").send(STYLESHEET));
}

function html(reply: FastifyReply, page: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(page);
}

function sessionOf(request: FastifyRequest): string | undefined {
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === COOKIE) return value;
  }
  return undefined;
}
