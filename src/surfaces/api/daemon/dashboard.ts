import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiContext } from "../api-options.ts";
import { answerUnknownRoute } from "../failure.ts";
import { DashboardFiles } from "../pages/dashboard-files.ts";
import { DASHBOARD_PAGES } from "../pages/dashboard-paths.ts";
import { DASHBOARD_POLICY } from "../pages/page-headers.ts";
import { signedIn } from "../pages/signed-in.ts";
import { missingPage, signInPage, wayUp } from "../pages/small-pages.ts";

/**
 * The dashboard: one page at every address of its own, and its parts. The page is only for who is signed in; the parts are
 * the same for everybody and hold nothing of this installation. `app` sets the headers of pages.
 */
export function dashboardRoutes(app: FastifyInstance, context: ApiContext): void {
  const files = new DashboardFiles(context.options.dashboard);

  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const up = wayUp(request.url);
    reply.type("text/html; charset=utf-8");
    if (!(await signedIn(request, context))) return reply.code(401).send(signInPage({ up }));
    const html = await files.page(up);
    if (html === undefined) return reply.code(503).send(missingPage({ up }));
    return reply.header("content-security-policy", DASHBOARD_POLICY).send(html);
  };
  app.get("/", page);
  for (const word of DASHBOARD_PAGES) {
    app.get(`/${word}`, page);
    app.get(`/${word}/*`, page);
  }

  app.get<{ Params: { name: string } }>("/assets/:name", async (request, reply) => {
    const asset = await files.asset(request.params.name, String(request.headers["accept-encoding"] ?? ""));
    if (!asset) return answerUnknownRoute(request, reply);
    if (asset.encoding) reply.header("content-encoding", asset.encoding);
    return reply
      .type(asset.type)
      .headers({ "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" })
      .header("cross-origin-resource-policy", "same-origin")
      .send(asset.content);
  });
}
