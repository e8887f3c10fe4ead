import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { exportQuery } from "../../../call/audit/contract.ts";
import { audit } from "../../../call/audit/feature.ts";
import type { Infer } from "../../../contract/shape.ts";
import { domainOf } from "../../../features/open-features.ts";
import type { ApiContext } from "../api-options.ts";
import { DerivedSchema } from "../derived-schema.ts";
import { JSONL, jsonLines } from "../schema.ts";

/** A stream, because an audit may be longer than memory. */
export function auditExportRoute(app: FastifyInstance, { hub }: ApiContext): void {
  const reader = domainOf(hub.features, audit);
  app.get<{ Querystring: Infer<typeof exportQuery> }>(
    "/audit/export",
    {
      schema: {
        summary: "Writes the audit as JSON, a line each, oldest first",
        querystring: new DerivedSchema(exportQuery),
        response: jsonLines,
      },
    },
    async ({ query: { what = "calls", ...query } }, reply) => {
      const parts = what === "calls" ? reader.exportCalls(query) : reader.exportActions(query);
      return reply
        .type(JSONL)
        .header("cache-control", "no-store")
        .send(Readable.from(linesOf(parts)));
    },
  );
}

async function* linesOf(parts: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const part of parts) yield part.map((value) => `${JSON.stringify(value)}\n`).join("");
}
