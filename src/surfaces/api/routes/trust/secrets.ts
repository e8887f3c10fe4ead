import type { FastifyInstance } from "fastify";
import { checkBindings } from "../../../../call/vault/bindings.ts";
import type { SecretInfo } from "../../../../call/vault/secret.ts";
import { SECRET_NAME } from "../../../../call/vault/secret.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Hub } from "../../../../hub.ts";
import type { SecretBindings } from "../../../../machine/db/tables/trust/secret-record.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  KeyRotated,
  SecretAnswer,
  SecretBinding,
  SecretInput,
  SecretList,
  SecretView,
} from "../../contract.ts";
import { exactly, filledText, nameText } from "../../schema.ts";
import { secretUsers } from "../../secret-users.ts";

interface Named {
  Params: { name: string };
}

const named = exactly({ name: { type: "string", pattern: SECRET_NAME } }, ["name"]);
const patterns = { type: "array", maxItems: 100, items: nameText } as const;
const binding = {
  tools: patterns,
  hosts: patterns,
  agents: { ...patterns, type: ["array", "null"] },
} as const;
const value = filledText(65_536);

/** What becomes of bindings with what a request names. */
type Rebinding = (before: SecretBindings, named: SecretBinding) => SecretBindings;

/** Secrets for people: everything but their values. */
export function secretRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const { vault } = hub;
  const answer = (name: string): SecretAnswer => ({ secret: viewOf(hub, secretOf(hub, name)) });

  app.get(
    "/secrets",
    { schema: { summary: "Lists the secrets, without values", response: gives("SecretList") } },
    async (): Promise<SecretList> => {
      const users = secretUsers(hub);
      return { secrets: vault.list().map((secret) => viewOf(hub, secret, users)) };
    },
  );

  app.get<Named>(
    "/secrets/:name",
    {
      schema: {
        summary: "Shows a secret, without its value",
        params: named,
        response: gives("SecretAnswer"),
      },
    },
    async ({ params }) => answer(params.name),
  );

  app.put<Named & { Body: SecretInput }>(
    "/secrets/:name",
    {
      schema: {
        summary: "Sets a secret, or where its value is read",
        params: named,
        body: exactly({ value, from: value, ...binding }),
        response: gives("SecretAnswer"),
      },
    },
    async ({ params: { name }, body }) => {
      const { value: given, from, ...change } = body;
      if ((given === undefined) === (from === undefined))
        throw new ToolkeepError("BAD_REQUEST", "expected either value or from");
      const before = vault.list().find((secret) => secret.name === name);
      const bindings =
        Object.keys(change).length > 0
          ? replaced(before?.setBy === null ? before.bindings : NONE, idsOf(hub, change))
          : undefined;
      if (from !== undefined) await vault.refer(name, from, bindings);
      else await vault.put(name, given!, bindings ? { bindings } : {});
      return answer(name);
    },
  );

  const rebinding = (verb: string, summary: string, body: object, change: Rebinding) =>
    app.post<Named & { Body: SecretBinding }>(
      `/secrets/:name/${verb}`,
      { schema: { summary, params: named, body, response: gives("SecretAnswer") } },
      async ({ params: { name }, body: given }) => {
        await vault.bind(name, change(secretOf(hub, name).bindings, idsOf(hub, given)));
        return answer(name);
      },
    );
  rebinding("bind", "Lets more tools, hosts or agents use a secret", exactly(binding), (...bindings) =>
    checked(added(...bindings)),
  );
  rebinding(
    "unbind",
    "Takes tools, hosts or agents away from a secret",
    exactly({ ...binding, agents: patterns }),
    takenAway,
  );

  app.post(
    "/vault/rotate-key",
    { schema: { summary: "Seals everything with a new key", response: gives("KeyRotated") } },
    async (): Promise<KeyRotated> => hub.rotateKey(),
  );

  app.delete<Named>(
    "/secrets/:name",
    { schema: { summary: "Deletes a secret, for good", params: named, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await vault.delete(secretOf(hub, params.name).name);
      return { done: true };
    },
  );
}

const NONE: SecretBindings = { tools: [], hosts: [], agents: null };

function secretOf({ vault }: Hub, name: string): SecretInfo {
  const found = vault.list().find((secret) => secret.name === name);
  if (found) return found;
  throw new ToolkeepError("NOT_FOUND", `there is no secret ${name}`, {
    remedy: "toolkeep secret list shows those there are.",
  });
}

function viewOf(hub: Hub, { bindings, setBy, ...secret }: SecretInfo, users = secretUsers(hub)): SecretView {
  const nameOf = (id: string) => hub.identity.agentById(id)?.name ?? id;
  return {
    ...secret,
    ...bindings,
    agents: bindings.agents?.map(nameOf) ?? null,
    setBy: setBy === null ? null : nameOf(setBy),
    usedBy: users.get(secret.name) ?? [],
  };
}

/** Agents are bound by id, so that another of the same name gets nothing. */
function idsOf({ identity }: Hub, { agents, ...binding }: SecretBinding): SecretBinding {
  return agents
    ? { ...binding, agents: agents.map((name) => identity.agent(name).id) }
    : { ...binding, ...(agents === null && { agents }) };
}

function replaced(before: SecretBindings, { tools, hosts, agents }: SecretBinding): SecretBindings {
  return checked({
    tools: tools ?? before.tools,
    hosts: hosts ?? before.hosts,
    agents: agents === undefined ? before.agents : agents,
  });
}

function added(before: SecretBindings, { tools = [], hosts = [], agents }: SecretBinding): SecretBindings {
  const all = (was: readonly string[], more: readonly string[]) => [...new Set([...was, ...more])];
  return {
    tools: all(before.tools, tools),
    hosts: all(before.hosts, hosts),
    agents: agents === undefined ? before.agents : agents && all(before.agents ?? [], agents),
  };
}

function takenAway(
  before: SecretBindings,
  { tools = [], hosts = [], agents }: SecretBinding,
): SecretBindings {
  return {
    tools: before.tools.filter((tool) => !tools.includes(tool)),
    hosts: before.hosts.filter((host) => !hosts.includes(host)),
    // Nobody is left in the end, rather than everybody.
    agents: before.agents?.filter((agent) => !agents?.includes(agent)) ?? null,
  };
}

function checked(bindings: SecretBindings): SecretBindings {
  const problem = checkBindings(bindings);
  if (problem !== undefined) throw new ToolkeepError("BAD_REQUEST", problem);
  return bindings;
}
