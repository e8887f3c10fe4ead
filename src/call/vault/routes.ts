import { DONE, defineRoute, done, type Route } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { SecretUse } from "../../contract/feature.ts";
import { pick } from "../../contract/shape.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { checkBindings, UNBOUND } from "./bindings.ts";
import * as shapes from "./contract.ts";
import { secretsNamedIn } from "./placeholder.ts";
import type { SecretInfo } from "./secret.ts";
import type { Vault } from "./vault.ts";

export interface SecretRouteDeps {
  readonly secrets: Vault;
  readonly agents: {
    /** Throws NOT_FOUND for a name that no agent has. */
    id(name: string): string;
    name(id: string): string;
  };
  readonly settings: () => Settings;
  /** Who reads which secrets beside the arguments of calls and the settings. */
  readonly usesOfSecrets: () => readonly SecretUse[];
  /** Seals everything in the store with a new key. */
  readonly rotateKey: () => Promise<shapes.KeyRotated>;
}

/** Secrets for people: everything but their values. */
export function secretRoutes(deps: SecretRouteDeps): readonly Route[] {
  const { secrets: vault, rotateKey } = deps;
  const params = shapes.secretName;
  const answer = (name: string) => ({ secret: viewSecret(deps, findSecret(vault, name), findUsers(deps)) });
  return [
    defineRoute({
      method: "GET",
      path: "/secrets",
      summary: "Lists the secrets, without values",
      answer: shapes.secretList,
      async handle() {
        const users = findUsers(deps);
        return { secrets: vault.list().map((secret) => viewSecret(deps, secret, users)) };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/secrets/:name",
      summary: "Shows a secret, without its value",
      params,
      answer: shapes.secretAnswer,
      handle: async ({ params: { name } }) => answer(name),
    }),
    defineRoute({
      method: "PUT",
      path: "/secrets/:name",
      summary: "Sets a secret, or where its value is read",
      params,
      body: shapes.secretInput,
      answer: shapes.secretAnswer,
      async handle({ params: { name }, body: { value, from, ...change } }) {
        if ((value === undefined) === (from === undefined))
          throw new ToolkeepError("BAD_REQUEST", "expected either value or from");
        const before = vault.list().find((secret) => secret.name === name);
        const bindings =
          Object.keys(change).length > 0
            ? replaceBindings(before?.setBy === null ? before.bindings : UNBOUND, withAgentIds(deps, change))
            : undefined;
        if (from !== undefined) await vault.refer(name, from, bindings);
        else await vault.put(name, value!, bindings ? { bindings } : {});
        return answer(name);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/secrets/:name/bind",
      summary: "Lets more tools, hosts or agents use a secret",
      params,
      body: shapes.secretBinding,
      answer: shapes.secretAnswer,
      async handle({ params: { name }, body }) {
        const { bindings } = findSecret(vault, name);
        await vault.bind(name, addBindings(bindings, withAgentIds(deps, body)));
        return answer(name);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/secrets/:name/unbind",
      summary: "Takes tools, hosts or agents away from a secret",
      params,
      body: shapes.secretUnbinding,
      answer: shapes.secretAnswer,
      async handle({ params: { name }, body }) {
        const { bindings } = findSecret(vault, name);
        await vault.bind(name, removeBindings(bindings, withAgentIds(deps, body)));
        return answer(name);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/vault/rotate-key",
      summary: "Seals everything with a new key",
      answer: shapes.keyRotated,
      handle: () => rotateKey(),
    }),
    defineRoute({
      method: "DELETE",
      path: "/secrets/:name",
      summary: "Deletes a secret, for good",
      params,
      answer: done,
      async handle({ params: { name } }) {
        await vault.delete(findSecret(vault, name).name);
        return DONE;
      },
    }),
  ];
}

function findSecret(vault: Vault, name: string): SecretInfo {
  const found = vault.list().find((secret) => secret.name === name);
  if (found) return found;
  throw new ToolkeepError("NOT_FOUND", `there is no secret ${name}`, {
    remedy: "toolkeep secret list shows those there are.",
  });
}

type Users = ReadonlyMap<string, readonly string[]>;

function viewSecret({ agents }: SecretRouteDeps, secret: SecretInfo, users: Users): shapes.SecretView {
  const { bindings, setBy, name } = secret;
  return pick(shapes.secretView, {
    ...secret,
    ...bindings,
    agents: bindings.agents?.map((id) => agents.name(id)) ?? null,
    setBy: setBy === null ? null : agents.name(setBy),
    usedBy: users.get(name) ?? [],
  });
}

/** Who reads each secret beside the arguments of calls, by the name of the secret. */
function findUsers({ settings, usesOfSecrets }: SecretRouteDeps): Users {
  const { approvals, embeddings, web, telemetry } = settings();
  const users = new Map<string, string[]>();
  const uses = [
    ...usesOfSecrets(),
    { user: "setting approvals.webhook_secret", secrets: secretsNamedIn(approvals.webhookSecret) },
    { user: "setting web.search.api_key", secrets: secretsNamedIn(web.search.apiKey) },
    { user: "setting embeddings.api_key", secrets: secretsNamedIn(embeddings.apiKey) },
    { user: "setting telemetry.otlp_headers", secrets: secretsNamedIn(telemetry.otlpHeaders) },
  ];
  for (const { user, secrets } of uses)
    for (const secret of secrets) users.set(secret, [...(users.get(secret) ?? []), user]);
  return users;
}

/** Agents are bound by id, so that a later agent of the same name gets nothing. */
function withAgentIds({ agents }: SecretRouteDeps, binding: shapes.SecretBinding): shapes.SecretBinding {
  return binding.agents ? { ...binding, agents: binding.agents.map((name) => agents.id(name)) } : binding;
}

function replaceBindings(
  before: shapes.SecretBindings,
  { tools, hosts, agents }: shapes.SecretBinding,
): shapes.SecretBindings {
  return checked({
    tools: tools ?? before.tools,
    hosts: hosts ?? before.hosts,
    agents: agents === undefined ? before.agents : agents,
  });
}

function addBindings(
  before: shapes.SecretBindings,
  { tools = [], hosts = [], agents }: shapes.SecretBinding,
): shapes.SecretBindings {
  const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];
  return checked({
    tools: union(before.tools, tools),
    hosts: union(before.hosts, hosts),
    agents: agents === undefined ? before.agents : agents && union(before.agents ?? [], agents),
  });
}

function removeBindings(
  before: shapes.SecretBindings,
  { tools = [], hosts = [], agents }: shapes.SecretBinding,
): shapes.SecretBindings {
  return {
    tools: before.tools.filter((tool) => !tools.includes(tool)),
    hosts: before.hosts.filter((host) => !hosts.includes(host)),
    // An empty list, which is nobody; null would be everybody.
    agents: before.agents?.filter((agent) => !agents?.includes(agent)) ?? null,
  };
}

function checked(bindings: shapes.SecretBindings): shapes.SecretBindings {
  const problem = checkBindings(bindings);
  if (problem !== undefined) throw new ToolkeepError("BAD_REQUEST", problem);
  return bindings;
}
