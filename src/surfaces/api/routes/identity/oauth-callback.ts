import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { OAUTH_CALLBACK } from "../../../../servers/auth/routes.ts";
import type { ApiContext } from "../../api-options.ts";
import { html } from "../../pages/html.ts";
import { PAGE_HEADERS, pagePolicy } from "../../pages/page-headers.ts";
import { noticePage } from "../../pages/small-pages.ts";

/** Ends a sign-in under way. Wants no token: the browser brings the secret of the sign-in it belongs to. */
export function oauthCallbackRoute(app: FastifyInstance, { hub, options }: ApiContext): void {
  // No HEAD: what looks at links in advance must not use them up.
  app.get(OAUTH_CALLBACK, { exposeHeadRoute: false }, async (request, reply) => {
    const { status, text } = await outcome(new URL(request.url, "http://localhost").searchParams);
    return reply
      .code(status)
      .headers({
        ...PAGE_HEADERS,
        "content-security-policy": pagePolicy("'none'"),
        "referrer-policy": "no-referrer",
      })
      .type("text/html; charset=utf-8")
      .send(noticePage(html`<p>${text}</p>`));
  });

  async function outcome(parameters: URLSearchParams): Promise<{ status: number; text: string }> {
    try {
      const { name } = await hub.upstream.completeSignIn(parameters);
      return { status: 200, text: `Signed in to ${name}. You can close this window.` };
    } catch (error) {
      if (error instanceof ToolkeepError) {
        const name = typeof error.details?.server === "string" ? error.details.server : "NAME";
        const text = `${hub.vault.redact(error.message)}. To try again: toolkeep server auth ${name}`;
        return { status: error.status, text };
      }
      options.log.error({ err: error }, "signing in to a server failed unexpectedly");
      return { status: 500, text: "Something went wrong inside Toolkeep; its log says what." };
    }
  }
}
