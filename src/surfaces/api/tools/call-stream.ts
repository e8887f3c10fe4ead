import { PassThrough } from "node:stream";
import type { FastifyInstance } from "fastify";
import { type CallLine, type CallRequest, callRequest } from "../../../call/executor/contract.ts";
import { toToolCall } from "../../../call/executor/routes.ts";
import type { ApiContext } from "../api-options.ts";
import { DerivedSchema } from "../derived-schema.ts";
import { whileConnected } from "../disconnect.ts";
import { JSONL, jsonLines } from "../schema.ts";

export function callStreamRoute(app: FastifyInstance, { hub, admins }: ApiContext): void {
  app.post<{ Body: CallRequest }>(
    "/call/stream",
    {
      schema: {
        role: "operator",
        summary: "Calls a tool, and tells of its progress; the last line is the outcome",
        body: new DerivedSchema(callRequest),
        response: jsonLines,
      },
    },
    (request, reply) => {
      const { actor, role } = admins.admitted(request);
      const call = toToolCall(request.body, { ...actor, role }, hub.identity);
      const lines = new PassThrough();
      const work = whileConnected(reply, (signal) =>
        hub.callTool({
          ...call,
          signal,
          // For a slow reader updates are left out, so that none pile up here: the next one says more than the last.
          onProgress: (progress) => void (lines.writableNeedDrain || lines.write(lineOf({ progress }))),
        }),
      );
      work.then(
        (outcome) => lines.end(lineOf({ outcome })),
        (error: unknown) => lines.destroy(error instanceof Error ? error : new Error(String(error))),
      );
      return reply.type(JSONL).header("cache-control", "no-store").send(lines);
    },
  );
}

function lineOf(line: CallLine): string {
  return `${JSON.stringify(line)}\n`;
}
