import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { messageOf, ToolkeepError } from "../../../../contract/errors.ts";
import type { ApiContext } from "../../api-options.ts";
import { originOfLogin } from "../../audit/admin-audit.ts";
import { dashboardRoutes } from "../../daemon/dashboard.ts";
import { refusedByFramework } from "../../failure.ts";
import { countFailure } from "../../failure-rate.ts";
import { PAGE_HEADERS, takeForms } from "../../pages/page-headers.ts";
import { checkForm } from "../../pages/same-origin.ts";
import { noSessionCookie, sessionCookie, sessionOf } from "../../pages/session-cookie.ts";
import { signedIn } from "../../pages/signed-in.ts";
import { enterPage, STYLESHEET, signInPage } from "../../pages/small-pages.ts";

const USED_UP = "This link was used already or is older than ten minutes.";
const BROKEN = "Something went wrong inside Toolkeep; its log says what.";

/** The pages for people: the dashboard, and signing in and out, which need no script. Nothing from elsewhere. */
export function pageRoutes(app: FastifyInstance, context: ApiContext): void {
  const { hub, options } = context;
  const { sessions } = hub.people;

  takeForms(app);
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(PAGE_HEADERS);
  });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof ToolkeepError)
      return html(reply.code(error.status), signInPage({ problem: `${messageOf(error)}.` }));
    const refused = refusedByFramework(error);
    if (refused)
      return html(reply.code(refused.status), signInPage({ problem: "That was no form of this page." }));
    options.log.error({ err: error }, "a page failed unexpectedly");
    return html(reply.code(500), signInPage({ problem: BROKEN }));
  });

  dashboardRoutes(app, context);

  // Uses nothing up: whatever looks at links in advance may come here. The person presses the button.
  app.get<{ Querystring: { code?: string } }>("/login", (request, reply) =>
    html(reply, enterPage(String(request.query.code ?? ""))),
  );

  app.post("/login", async (request, reply) => {
    checkForm(request, options.url());
    const entered = await sessions.signIn(formOf(request).get("code") ?? "", {
      label: request.headers["user-agent"] ?? "",
      before: sessionOf(request, options.url()),
    });
    if (!entered) {
      countFailure(request, reply, { identity: hub.identity, rateLimits: () => hub.settings.rateLimits });
      await hub.audit.note("admin.login_failed", null, null, originOfLogin(request));
      return html(reply.code(401), signInPage({ problem: USED_UP }));
    }
    await hub.audit.note("admin.login", entered.person.name, entered.session.id, originOfLogin(request));
    const cookie = sessionCookie(entered.secret, entered.maxAgeSeconds, options.url());
    return reply.header("set-cookie", cookie).redirect("./", 303);
  });

  app.post("/logout", async (request, reply) => {
    const here = await signedIn(request, context);
    if (here) {
      const sent = formOf(request).get("csrf") ?? undefined;
      checkForm(request, options.url(), { sent, secret: here.secret });
      await sessions.end(here.session.id);
      await hub.audit.note("admin.logout", here.person.name, here.session.id);
    }
    return reply.header("set-cookie", noSessionCookie(options.url())).redirect("./", 303);
  });

  app.get("/style.css", (_request, reply) => reply.type("text/css; charset=utf-8").send(STYLESHEET));
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

function html(reply: FastifyReply, page: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(page);
}
