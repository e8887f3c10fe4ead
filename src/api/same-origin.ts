import type { FastifyRequest } from "fastify";
import { ToolkeepError } from "../errors.ts";

/** Sent by pages with requests that have no JSON body: no form and no plain link can. */
const PAGE_HEADER = "x-toolkeep";

/**
 * Keeps other pages from using a person's session. A browser sends the cookie to every port of a host, so the page of
 * any program on this machine could; what it cannot do is name another Origin than its own, or send JSON or a header of
 * ours without being asked to wait for a permission that is never given. Throws FORBIDDEN.
 */
export function checkSameOrigin(
  { method, headers }: Pick<FastifyRequest, "method" | "headers">,
  ownUrl: string,
): void {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw refused(`a page of another origin (${site})`);
  if (method === "GET" || method === "HEAD") return;

  const { origin, host } = headers;
  if (origin !== `http://${host}` && origin !== originOf(ownUrl)) {
    throw refused(
      origin === undefined ? "no Origin header" : `Origin ${JSON.stringify(origin.slice(0, 200))}`,
    );
  }
  if (!isJson(headers["content-type"]) && headers[PAGE_HEADER] === undefined) {
    throw refused("neither a JSON body nor the header X-Toolkeep");
  }
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? "");
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function refused(came: string): ToolkeepError {
  return new ToolkeepError(
    "FORBIDDEN",
    `a session counts only for requests of Toolkeep's own pages; got ${came}`,
    {
      remedy: "Send the request from the page itself, with the header X-Toolkeep; or use an admin token.",
    },
  );
}
