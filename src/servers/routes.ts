import { DONE, defineRoute, done, type Route } from "../contract/define-route.ts";
import type { Tool } from "../contract/tool.ts";
import type { ServerAnswer, ServerView } from "./contract.ts";
import * as shapes from "./contract.ts";
import { assertNotInUse, type NameUsers } from "./lists/names-in-use.ts";
import type { Upstream } from "./upstream.ts";

export interface ServerRouteDeps extends NameUsers {
  readonly upstream: () => Upstream;
}

/** The tests of servers stream what they do, so their routes are in `surfaces/api/`. */
export function serverRoutes(deps: ServerRouteDeps): readonly Route[] {
  const { upstream } = deps;
  const answer = (server: ServerView): ServerAnswer => ({
    server,
    tools: upstream()
      .tools()
      .filter((tool) => tool.origin === `mcp:${server.name}` && !isHeld(tool, server))
      .map((tool) => tool.name),
  });
  return [
    defineRoute({
      method: "GET",
      path: "/servers",
      summary: "Lists the servers",
      answer: shapes.serverList,
      handle: async () => ({ servers: upstream().servers() }),
    }),
    defineRoute({
      method: "GET",
      path: "/servers/:name",
      summary: "Shows a server and its tools",
      answer: shapes.serverAnswer,
      handle: async ({ params }) => answer(upstream().server(params.name)),
    }),
    defineRoute({
      method: "POST",
      path: "/servers",
      summary: "Registers a server",
      body: shapes.newServer,
      answer: shapes.serverAnswer,
      status: 201,
      async handle({ body: { name, wait, ...input } }) {
        const before = upstream().hasServer(name) ? upstream().server(name).lastError : null;
        const server = await upstream().add(name, input);
        if (wait) await upstream().settled(name);
        const replaced = before === null ? {} : { replaced: before };
        return { ...answer(wait ? upstream().server(name) : server), ...replaced };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/servers/:name",
      summary: "Changes a server; blank values of env and headers keep what is stored",
      body: shapes.serverChange,
      answer: shapes.serverAnswer,
      async handle({ params, body: { prefix, ...change } }) {
        const isChanged = prefix === undefined || Object.keys(change).length > 0;
        const { name } = isChanged
          ? await upstream().update(params.name, change)
          : upstream().server(params.name);
        if (prefix !== undefined)
          await upstream().changePrefix(name, prefix, (changes) => assertNotInUse(changes, deps));
        return answer(upstream().server(name));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/servers/:name",
      summary: "Removes a server",
      answer: done,
      async handle({ params }) {
        await upstream().remove(params.name);
        return DONE;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/servers/:name/approve",
      summary: "Approves a server that waits for a person",
      body: shapes.serverApproval.nullable(),
      answer: shapes.serverAnswer,
      handle: async ({ params, body }) => answer(await upstream().approve(params.name, body ?? {})),
    }),
    defineRoute({
      method: "GET",
      path: "/servers/:name/offers",
      summary: "Shows what a server offers beside its tools",
      answer: shapes.serverOffers,
      async handle({ params }) {
        const offers = upstream().offers(params.name);
        const of = (wanted: string) =>
          offers.filter(({ kind }) => kind === wanted).map(({ definition }) => definition);
        return {
          instructions: upstream().server(params.name).instructions,
          resources: of("resource"),
          resourceTemplates: of("resource_template"),
          prompts: of("prompt"),
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/servers/:name/logs",
      summary: "Shows what a server wrote and what became of it",
      query: shapes.logQuery,
      answer: shapes.serverLogPage,
      handle: async ({ params, query: { since, lines } }) =>
        upstream().logs(params.name, {
          ...(since === undefined ? {} : { since }),
          ...(lines === undefined ? {} : { limit: lines }),
        }),
    }),
    ...SWITCHES.map(({ verb, summary, change }) =>
      defineRoute({
        method: "POST",
        path: `/servers/:name/${verb}`,
        summary,
        answer: shapes.serverAnswer,
        handle: async ({ params }) => answer(await upstream().update(params.name, change)),
      }),
    ),
  ];
}

const SWITCHES = [
  { verb: "enable", summary: "Lets a server take part", change: { enabled: true } },
  { verb: "disable", summary: "Keeps a server out without forgetting it", change: { enabled: false } },
  { verb: "trust", summary: "Believes what a server says of its tools", change: { trusted: true } },
  { verb: "untrust", summary: "Believes only what makes things safer", change: { trusted: false } },
] as const;

/** Whether the definition waits for a person: it is no tool yet. */
function isHeld(tool: Tool, { state }: ServerView): boolean {
  return state !== "pending_approval" && tool.status().kind === "pending_approval";
}
