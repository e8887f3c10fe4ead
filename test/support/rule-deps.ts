import { ContentLabels } from "../../src/call/rules/content-labels.ts";
import { Labels } from "../../src/call/rules/labels.ts";
import { RuleBook } from "../../src/call/rules/rule-book.ts";
import type { RuleSettings, Watchdog } from "../../src/call/rules/watchdog.ts";
import { randomId } from "../../src/lib/id.ts";
import type { Rule } from "../../src/machine/config/settings.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { trustStores } from "./trust-stores.ts";

/** Settings with these rules and no others. */
export function ruleSettings(rules: readonly Rule[] = []): RuleSettings {
  return { rules, defaultRules: false, trust: { allowHosts: [] } };
}

/** What decisions are made with, where a test says nothing else. */
export function ruleDeps(
  store: Pick<Store, "database">,
  rules: readonly Rule[] = [],
  clock = Date.now,
): ConstructorParameters<typeof Watchdog>[0] {
  const tables = trustStores(store);
  const labels = new Labels({ store: tables.labels, clock, parentOf: () => null, onProblem: () => {} });
  return {
    settings: ruleSettings(rules),
    book: new RuleBook({ store: tables.rules, parentOf: () => null, clock, newId: randomId }),
    workspaceOf: ({ agentName }) => `/workspaces/${agentName}`,
    labels,
    contentLabels: new ContentLabels({ store: tables.contentLabels, labels, clock }),
    userHome: "/home/user",
    isShellSandboxed: () => false,
  };
}
