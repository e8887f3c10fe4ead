import type { Catalog } from "../../call/catalog/catalog.ts";
import type { Identity } from "../../call/identity/identity.ts";
import type { Watchdog } from "../../call/rules/watchdog.ts";
import type { Vault } from "../../call/vault/vault.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { ToolNameChange } from "../records.ts";

export interface NameUsers {
  readonly watchdog: Pick<Watchdog, "decider">;
  readonly secrets: Pick<Vault, "list">;
  readonly catalog: () => Pick<Catalog, "toolboxes">;
  readonly identity: Pick<Identity, "agents">;
}

const MAX_LISTED = 5;

/**
 * Throws IN_USE if a rule, a secret, a toolbox or an agent lists a name that would change: the entry would silently stop
 * to apply. Entries of the form `mcp:<server>:<tool>` are not affected.
 */
export function assertNotInUse(
  changes: readonly ToolNameChange[],
  { watchdog, secrets, catalog, identity }: NameUsers,
): void {
  const isAffected = (entry: string) => {
    if (entry.includes(":")) return false;
    const covers = wildcard(entry);
    return changes.some(({ from, to }) => covers(from) !== covers(to));
  };
  const users = [
    ...watchdog.decider.rules.all
      .filter(({ rule }) => isAffected(rule.permission))
      .map(({ rule }) => `the rule for ${rule.permission}`),
    ...secrets
      .list()
      .filter(({ bindings }) => bindings.tools.some(isAffected))
      .map(({ name }) => `the secret ${name}`),
    ...[...catalog().toolboxes.byName.values()]
      .filter(({ tools }) => tools.some(isAffected))
      .map(({ name }) => `the toolbox ${name}`),
    ...identity
      .agents()
      .filter(({ grants, pins }) => [...grants, ...pins].some(isAffected))
      .map(({ name }) => `the agent ${name}`),
  ];
  if (users.length === 0) return;
  const more = users.length > MAX_LISTED ? ` and ${users.length - MAX_LISTED} more` : "";
  throw new ToolkeepError(
    "IN_USE",
    `tools of this server are listed by name in ${users.slice(0, MAX_LISTED).join(", ")}${more}: list them as mcp:<server>:<tool> there, then change the prefix`,
  );
}
