import type { FastifyReply, FastifyRequest } from "fastify";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { ApiFailure } from "./contract.ts";
import { PAGE_HEADERS } from "./pages/page-headers.ts";
import { noSuchPage, wayUp } from "./pages/small-pages.ts";

/** Every error of a route as `{error: {…}}`. What is not ours is logged and told as INTERNAL, without its message. */
export function answerFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  if (error instanceof ToolkeepError) {
    if (error.status >= 500) log.warn({ err: error, route: request.routeOptions.url }, "a request failed");
    return reply.code(error.status).send(failureOf(error));
  }

  const refused = refusedByFramework(error);
  if (refused)
    return reply.code(refused.status).send(failureOf(new ToolkeepError("BAD_REQUEST", refused.message)));

  log.error(
    { err: error, method: request.method, route: request.routeOptions.url },
    "a request failed unexpectedly",
  );
  return reply
    .code(500)
    .send(failureOf(new ToolkeepError("INTERNAL", "something went wrong inside Toolkeep")));
}

/** A page where a browser shows what comes, an error of the API for everybody else. */
export function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split("?", 1)[0]!;
  if (isPageWanted(request, path))
    return reply
      .code(404)
      .headers(PAGE_HEADERS)
      .type("text/html; charset=utf-8")
      .send(noSuchPage({ up: wayUp(path) }));
  const error = new ToolkeepError("NOT_FOUND", `there is no ${request.method} ${path}`, {
    remedy: "MCP clients use /mcp; docs/api.md lists the routes.",
  });
  return reply.code(error.status).send(failureOf(error));
}

/** Paths of programs, whatever a browser that looks at them accepts. */
const OF_PROGRAMS = /^\/(?:api|mcp|assets|metrics|health|\.well-known)(?:\/|$)/;

function isPageWanted({ method, headers }: FastifyRequest, path: string): boolean {
  return method === "GET" && /\btext\/html\b/.test(headers.accept ?? "") && !OF_PROGRAMS.test(path);
}

function failureOf(error: ToolkeepError): ApiFailure {
  return {
    error: {
      code: error.code,
      message: error.message,
      remedy: error.remedy,
      ...(error.details ? { details: error.details } : {}),
    },
  };
}

/** Fastify's own refusals: a body that does not fit its schema, is too large, or is no JSON. */
export function refusedByFramework(error: unknown): { status: number; message: string } | undefined {
  const { statusCode, message } = error as { statusCode?: unknown; message?: unknown };
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode > 499) return undefined;
  return { status: statusCode, message: String(message) };
}
