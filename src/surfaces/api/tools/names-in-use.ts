import { ToolkeepError } from "../../../contract/errors.ts";
import type { Hub } from "../../../hub.ts";
import { wildcard } from "../../../lib/text/wildcard.ts";
import type { ToolNameChange } from "../../../machine/db/store.ts";

const MAX_LISTED = 5;

/**
 * Throws IN_USE where something goes by a name that would change. A rule, a secret or a toolbox that lists `mcp:<server>:<tool>` goes by the server
 * and stays true; one that lists the tool's name would silently stop to hold.
 */
export function mustNotBeUsed(hub: Hub, changes: readonly ToolNameChange[]): void {
  const isAffected = (entry: string) => {
    if (entry.includes(":")) return false;
    const covers = wildcard(entry);
    return changes.some(({ from, to }) => covers(from) !== covers(to));
  };
  const users = [
    ...hub.watchdog.decider.rules.all
      .filter(({ rule }) => isAffected(rule.permission))
      .map(({ rule }) => `the rule for ${rule.permission}`),
    ...hub.vault
      .list()
      .filter(({ bindings }) => bindings.tools.some(isAffected))
      .map(({ name }) => `the secret ${name}`),
    ...[...hub.catalog.toolboxes.byName.values()]
      .filter(({ tools }) => tools.some(isAffected))
      .map(({ name }) => `the toolbox ${name}`),
    ...hub.identity
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
