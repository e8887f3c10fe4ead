import { randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import type { FastifyInstance } from "fastify";
import { type OperatorInfo, scopesOf } from "../../../../call/identity/callers.ts";
import type { Caller } from "../../../../contract/caller.ts";
import { toolOutcome } from "../../../../contract/tool-shapes.ts";
import type { Hub } from "../../../../hub.ts";
import { actingOf } from "../../admins.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { CallLine, CallList, CallRequest, ToolOutcome } from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { exactly, nameText } from "../../schema.ts";
import { callView } from "../../views.ts";

const call = exactly({ name: nameText, arguments: {}, agent: nameText, conversation: nameText }, ["name"]);
const JSONL = "application/x-ndjson";
const filter = exactly({
  limit: { type: "integer", minimum: 1, maximum: 1_000 },
  agent: nameText,
  tool: nameText,
});

export function callRoutes(app: FastifyInstance, { hub, admins }: ApiContext): void {
  app.post<{ Body: CallRequest }>(
    "/call",
    {
      schema: {
        role: "operator",
        summary: "Calls a tool as an agent or, where none is named, as the operator",
        body: call,
        response: gives(toolOutcome),
      },
    },
    (request, reply): Promise<ToolOutcome> => {
      const { body } = request;
      const caller = callerFor(hub, body, actingOf(admins.admitted(request)));
      return whileConnected(reply, (signal) =>
        hub.callTool({ name: body.name, arguments: body.arguments ?? {}, caller, via: "api", signal }),
      );
    },
  );

  app.post<{ Body: CallRequest }>(
    "/call/stream",
    {
      schema: {
        role: "operator",
        summary: "Calls a tool, and tells of its progress; the last line is the outcome",
        body: call,
        response: { 200: { content: { [JSONL]: { schema: { type: "string" } } } } },
      },
    },
    (request, reply) => {
      const { body } = request;
      const caller = callerFor(hub, body, actingOf(admins.admitted(request)));
      const lines = new PassThrough();
      const work = whileConnected(reply, (signal) =>
        hub.callTool({
          name: body.name,
          arguments: body.arguments ?? {},
          caller,
          via: "api",
          signal,
          // Of somebody who reads slowly nothing piles up here: the next update says more than the last.
          onProgress: (progress) => void (lines.writableNeedDrain || write(lines, { progress })),
        }),
      );
      work.then(
        (outcome) => lines.end(`${JSON.stringify({ outcome } satisfies CallLine)}\n`),
        (error: unknown) => lines.destroy(error instanceof Error ? error : new Error(String(error))),
      );
      return reply.type(JSONL).header("cache-control", "no-store").send(lines);
    },
  );

  app.get<{ Querystring: { limit?: number; agent?: string; tool?: string } }>(
    "/calls",
    {
      schema: {
        summary: "Lists the audit, newest first",
        querystring: filter,
        response: gives("CallList"),
      },
    },
    async ({ query: { limit = 100, agent, tool } }): Promise<CallList> => {
      const calls = await hub.store.calls.list({
        limit,
        ...(agent === undefined ? {} : { agentId: hub.identity.agent(agent).id }),
        ...(tool === undefined ? {} : { tool }),
      });
      return { calls: calls.map((record) => callView(hub, record)) };
    },
  );
}

function write(lines: PassThrough, line: CallLine): boolean {
  return lines.write(`${JSON.stringify(line)}\n`);
}

function callerFor(hub: Hub, { agent, conversation = randomUUID() }: CallRequest, who: OperatorInfo): Caller {
  if (agent === undefined) return hub.identity.operatorCaller(conversation, who);
  const { person, tokenId = null, role } = who;
  const scopes = scopesOf(role);
  return hub.identity.callerFor(hub.identity.agent(agent), {
    tokenId,
    scopes,
    conversation,
    ...(person !== undefined && { person }),
  });
}
