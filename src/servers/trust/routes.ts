import { defineRoute, type Route } from "../../contract/define-route.ts";
import type { Upstream } from "../upstream.ts";
import * as shapes from "./contract.ts";

/** The routes by which people see and decide about what servers publish. */
export function serverTrustRoutes({ upstream }: { readonly upstream: () => Upstream }): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/servers/:name/changes",
      summary: "Shows what a pinned server publishes that nobody has accepted",
      answer: shapes.serverChanges,
      handle: ({ params }) => upstream().trust.listChanges(params.name),
    }),
    defineRoute({
      method: "POST",
      path: "/servers/:name/accept",
      summary: "Takes in what a server publishes, as it was seen; without names, all that waits",
      body: shapes.acceptance,
      answer: shapes.serverChanges,
      handle: ({ params, body }) => upstream().trust.decide(params.name, "accept", body),
    }),
    defineRoute({
      method: "POST",
      path: "/servers/:name/reject",
      summary: "Keeps out what a server publishes, without asking again",
      body: shapes.rejection.nullable(),
      answer: shapes.serverChanges,
      handle: ({ params, body }) => upstream().trust.decide(params.name, "reject", body ?? {}),
    }),
    defineRoute({
      method: "GET",
      path: "/servers/:name/findings",
      summary: "Shows what to look at in what a server says",
      answer: shapes.serverFindings,
      handle: async ({ params }) => ({ tools: await upstream().trust.listFindings(params.name) }),
    }),
  ];
}
