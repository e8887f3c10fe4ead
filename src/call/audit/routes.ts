import { defineRoute, type Route } from "../../contract/define-route.ts";
import type { AuditChecks } from "./audit-checks.ts";
import type { AuditReader } from "./audit-reader.ts";
import * as shapes from "./contract.ts";

export interface AuditRouteDeps {
  readonly reader: AuditReader;
  readonly checks: Pick<AuditChecks, "start" | "last">;
}

export function auditRoutes({ reader, checks }: AuditRouteDeps): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/calls",
      summary: "Lists the audit, newest first",
      query: shapes.callListQuery,
      answer: shapes.callList,
      handle: ({ query }) => reader.list(query),
    }),
    defineRoute({
      method: "GET",
      path: "/audit",
      summary: "Searches the calls that were made",
      query: shapes.callPageQuery,
      answer: shapes.auditPage,
      handle: ({ query }) => reader.calls(query),
    }),
    defineRoute({
      method: "GET",
      path: "/audit/actions",
      summary: "Searches what was done beside calls",
      query: shapes.actionPageQuery,
      answer: shapes.actionPage,
      handle: ({ query }) => reader.actions(query),
    }),
    defineRoute({
      method: "GET",
      path: "/audit/calls/:id",
      summary: "Shows one call",
      answer: shapes.auditedCall,
      handle: ({ params }) => reader.call(params.id),
    }),
    defineRoute({
      method: "GET",
      path: "/audit/tail",
      summary: "Shows the calls that were recorded since the last time, in the order in which they were",
      query: shapes.tailQuery,
      answer: shapes.auditTail,
      handle: ({ query }) => reader.tail(query),
    }),
    defineRoute({
      method: "POST",
      path: "/audit/verify",
      summary: "Begins a check of the whole audit, unless one runs",
      body: shapes.verifyRequest.nullable(),
      answer: shapes.auditCheck,
      async handle({ body, by }) {
        const reason = body?.acknowledge;
        return checks.start(reason === undefined ? undefined : { actor: by.name, reason });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/audit/verify",
      summary: "Shows the check that runs, or the last one",
      answer: shapes.auditCheck,
      handle: async () => checks.last ?? { state: "none" as const },
    }),
  ];
}
