import type { FastifyRequest } from "fastify";
import { isCsrfToken } from "../../../call/identity/sessions.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import { isReading } from "../route-role.ts";

/** Holds the session's token. No form and no plain link can send it. */
export const PAGE_HEADER = "x-toolkeep";

type PageRequest = Pick<FastifyRequest, "method" | "headers">;

/**
 * Keeps other pages from using a person's session. A browser sends the cookie to every port of a host, so the page of
 * any program on this machine could; what it cannot do is name another Origin than its own, send a header of ours
 * without being asked to wait for a permission that is never given, or know the token of the session. Throws FORBIDDEN.
 */
export function checkSameOrigin({ method, headers }: PageRequest, ownUrl: string, secret: string): void {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw refused(`a page of another origin (${site})`);
  if (isReading(method)) return;

  checkOrigin(headers, ownUrl);
  const contentType = headers["content-type"];
  if (contentType !== undefined && !isJson(contentType))
    throw refused(`a body of ${JSON.stringify(contentType.slice(0, 100))}, and only JSON is taken`);
  const sent = headers[PAGE_HEADER];
  if (!isCsrfToken(typeof sent === "string" ? sent : undefined, secret))
    throw refused(sent === undefined ? "no header X-Toolkeep" : "an X-Toolkeep of another session");
}

/** For what the forms of our own pages send. Throws FORBIDDEN. */
export function checkForm(
  { headers }: PageRequest,
  ownUrl: string,
  proof?: { readonly sent: string | undefined; readonly secret: string },
): void {
  checkOrigin(headers, ownUrl);
  if (proof && !isCsrfToken(proof.sent, proof.secret)) throw refused("a form of another session");
}

/** False also where a request does not say which page it comes from. */
export function isOwnOrigin({ origin, host }: PageRequest["headers"], ownUrl: string): boolean {
  return origin === `http://${host}` || (origin !== undefined && origin === originOf(ownUrl));
}

function checkOrigin(headers: PageRequest["headers"], ownUrl: string): void {
  if (isOwnOrigin(headers, ownUrl)) return;
  const { origin } = headers;
  throw refused(origin === undefined ? "no Origin header" : `Origin ${JSON.stringify(origin.slice(0, 200))}`);
}

function isJson(contentType: string): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function refused(came: string): ToolkeepError {
  return new ToolkeepError(
    "FORBIDDEN",
    `a session counts only for requests of Toolkeep's own pages; got ${came}`,
    {
      remedy:
        "Send the request from the page itself, with the csrfToken of GET /api/session as X-Toolkeep; or use an admin token.",
    },
  );
}
