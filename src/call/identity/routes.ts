import type { Caller } from "../../contract/caller.ts";
import { DONE, defineRoute, done, type Route } from "../../contract/define-route.ts";
import { pick } from "../../contract/shape.ts";
import { unrestrictedCaller } from "./callers.ts";
import { contextOf } from "./context.ts";
import type { AgentRecord, AgentView, ConsentRecord, TokenView, UnresolvedGrants } from "./contract.ts";
import * as shapes from "./contract.ts";
import type { Identity, VisibleToken } from "./identity.ts";

export interface IdentityRouteDeps {
  readonly identity: Identity;
  readonly consents: { list(): Promise<readonly ConsentRecord[]> };
  readonly catalog: () => {
    visible(caller: Caller): readonly unknown[];
    unresolvedGrants(agent: AgentRecord): UnresolvedGrants;
  };
}

export function identityRoutes(deps: IdentityRouteDeps): readonly Route[] {
  return [...agentRoutes(deps), ...tokenRoutes(deps)];
}

function agentRoutes({ identity, catalog }: IdentityRouteDeps): readonly Route[] {
  const view = (agent: AgentRecord): AgentView =>
    pick(shapes.agentView, {
      ...agent,
      parent: agent.parentId === null ? null : identity.agentName(agent.parentId),
      context: contextOf(agent),
      toolCount: catalog().visible(unrestrictedCaller(agent)).length,
    });
  const answer = (agent: AgentRecord) => ({ agent: view(agent), ...catalog().unresolvedGrants(agent) });
  return [
    defineRoute({
      method: "GET",
      path: "/agents",
      summary: "Lists the agents",
      answer: shapes.agentList,
      handle: async () => ({ agents: identity.agents().map(view) }),
    }),
    defineRoute({
      method: "GET",
      path: "/agents/:name",
      summary: "Shows an agent",
      answer: shapes.agentAnswer,
      handle: async ({ params }) => answer(identity.agent(params.name)),
    }),
    defineRoute({
      method: "POST",
      path: "/agents",
      summary: "Creates an agent; with a parent a sub-agent or scout",
      body: shapes.newAgent,
      answer: shapes.agentAnswer,
      status: 201,
      handle: async ({ body: { name, ...input } }) => answer(await identity.createAgent(name, input)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/agents/:name",
      summary: "Changes an agent; what is given replaces what was",
      body: shapes.agentChangeInput,
      answer: shapes.agentAnswer,
      handle: async ({ params, body: { since, ...input } }) =>
        answer(await identity.updateAgent(params.name, input, since)),
    }),
    defineRoute({
      method: "DELETE",
      path: "/agents/:name",
      summary: "Deletes an agent with its tokens",
      answer: done,
      async handle({ params }) {
        await identity.deleteAgent(params.name);
        return DONE;
      },
    }),
  ];
}

function tokenRoutes({ identity, consents }: IdentityRouteDeps): readonly Route[] {
  const view = (token: VisibleToken, known: readonly ConsentRecord[] = []): TokenView => {
    const consent = known.find(({ id }) => id === token.consentId);
    return pick(shapes.tokenView, {
      ...token,
      agent: token.agentId === null ? null : identity.agentName(token.agentId),
      client: consent
        ? { id: consent.clientId, name: consent.clientName, renewsUntil: consent.expiresAt }
        : null,
    });
  };
  return [
    defineRoute({
      method: "GET",
      path: "/tokens",
      summary: "Lists the tokens, without values",
      answer: shapes.tokenList,
      async handle() {
        const known = await consents.list();
        return { tokens: identity.tokens().map((token) => view(token, known)) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/tokens",
      summary: "Makes a token of an agent or, where none is named, an admin token",
      body: shapes.newToken,
      answer: shapes.tokenAnswer,
      status: 201,
      noStore: true,
      async handle({ body }) {
        const { token, record } = await identity.createToken(body);
        return { token, record: view(record) };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/tokens/:id",
      summary: "Revokes a token",
      answer: done,
      async handle({ params }) {
        await identity.deleteToken(params.id);
        return DONE;
      },
    }),
  ];
}
