import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { stepsOf } from "../../../../call/audit/call-audit.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { OUTCOMES } from "../../../../contract/tool.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import { actionSearch, actionsPage, actionView, callSearch, callsPage } from "../../audit/audit-pages.ts";
import { tailOf } from "../../audit/audit-tail.ts";
import type {
  ActionPage,
  ActionQuery,
  AuditCheck,
  AuditedCall,
  AuditPage,
  AuditTail,
  CallQuery,
  PageOfAudit,
  VerifyRequest,
} from "../../contract.ts";
import { byId, exactly, filledText, nameText, shortText } from "../../schema.ts";
import { callView } from "../../views.ts";

const moment = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const callQuery = {
  agent: nameText,
  tool: nameText,
  outcome: { enum: OUTCOMES },
  decision: { enum: ["allow", "ask", "deny"] },
  conversation: nameText,
  text: nameText,
  since: moment,
  until: moment,
} as const;
const actionQuery = {
  kind: nameText,
  actor: nameText,
  subject: nameText,
  since: moment,
  until: moment,
} as const;
const page = {
  limit: { type: "integer", minimum: 1, maximum: 1_000 },
  order: { enum: ["newest", "oldest"] },
  cursor: filledText(1_000),
} as const;
const JSONL = "application/x-ndjson";

export function auditRoutes(app: FastifyInstance, { hub, admins }: ApiContext): void {
  app.get<{ Querystring: CallQuery & PageOfAudit }>(
    "/audit",
    {
      schema: {
        summary: "Searches the calls that were made",
        querystring: exactly({ ...callQuery, ...page }),
        response: gives("AuditPage"),
      },
    },
    ({ query }): Promise<AuditPage> => callsPage(hub, callSearch(hub, query)),
  );

  app.get<{ Querystring: ActionQuery & PageOfAudit }>(
    "/audit/actions",
    {
      schema: {
        summary: "Searches what was done beside calls",
        querystring: exactly({ ...actionQuery, ...page }),
        response: gives("ActionPage"),
      },
    },
    ({ query }): Promise<ActionPage> => actionsPage(hub, actionSearch(query)),
  );

  app.get<{ Params: { id: string } }>(
    "/audit/calls/:id",
    { schema: { summary: "Shows one call", params: byId, response: gives("AuditedCall") } },
    async ({ params: { id } }): Promise<AuditedCall> => {
      const call = await hub.store.calls.get(id);
      if (!call) throw new ToolkeepError("NOT_FOUND", `There is no call ${id} in the audit.`);
      const [intent] = await hub.store.audit.list({ limit: 1, kind: "intent", subject: id });
      return {
        call: callView(hub, call),
        intent: intent ? actionView(intent) : null,
        timeline: stepsOf(call),
      };
    },
  );

  app.get<{ Querystring: CallQuery & { cursor?: string } }>(
    "/audit/tail",
    {
      schema: {
        summary: "Shows the calls that were recorded since the last time, in the order in which they were",
        querystring: exactly({ ...callQuery, cursor: page.cursor }),
        response: gives("AuditTail"),
      },
    },
    ({ query }): Promise<AuditTail> => tailOf(hub, query),
  );

  app.get<{ Querystring: CallQuery & ActionQuery & { what?: "calls" | "actions" } }>(
    "/audit/export",
    {
      schema: {
        summary: "Writes the audit as JSON, a line each, oldest first",
        querystring: exactly({ what: { enum: ["calls", "actions"] }, ...callQuery, ...actionQuery }),
        response: { 200: { content: { [JSONL]: { schema: { type: "string" } } } } },
      },
    },
    async ({ query: { what = "calls", ...query } }, reply) => {
      const lines = what === "calls" ? callLines(query) : actionLines(query);
      return reply.type(JSONL).header("cache-control", "no-store").send(Readable.from(lines));
    },
  );

  app.post<{ Body: VerifyRequest | null }>(
    "/audit/verify",
    {
      schema: {
        summary: "Begins a check of the whole audit, unless one runs",
        body: {
          type: ["object", "null"],
          additionalProperties: false,
          properties: { acknowledge: shortText },
        },
        response: gives("AuditCheck"),
      },
    },
    (request): AuditCheck => {
      const reason = request.body?.acknowledge;
      const { actor } = admins.admitted(request);
      return hub.audit.checks.start(reason === undefined ? undefined : { actor: actor.name, reason });
    },
  );

  app.get(
    "/audit/verify",
    { schema: { summary: "Shows the check that runs, or the last one", response: gives("AuditCheck") } },
    (): AuditCheck => hub.audit.checks.last ?? { state: "none" },
  );

  async function* callLines(query: CallQuery): AsyncGenerator<string> {
    const search = callSearch(hub, { ...query, order: "oldest", limit: 500 });
    for (let after = search.after; ; ) {
      const found = await hub.store.calls.search({ ...search, after });
      yield lines(found.calls.map((call) => callView(hub, call)));
      if (!found.next) return;
      after = found.next;
    }
  }

  async function* actionLines(query: ActionQuery): AsyncGenerator<string> {
    const search = actionSearch({ ...query, order: "oldest", limit: 500 });
    for (let after = search.after; ; ) {
      const found = await hub.store.audit.list({ ...search, after });
      yield lines(found.map(actionView));
      const last = found.at(-1);
      if (!last || found.length < search.limit) return;
      after = last;
    }
  }
}

function lines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
