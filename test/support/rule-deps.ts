import { ContentLabels } from "../../src/call/rules/content-labels.ts";
import { Labels } from "../../src/call/rules/labels.ts";
import { RuleBook } from "../../src/call/rules/rule-book.ts";
import type { RuleSettings, Watchdog } from "../../src/call/rules/watchdog.ts";
import { randomId } from "../../src/lib/id.ts";
import type { Rule } from "../../src/machine/config/settings.ts";
import type { Store } from "../../src/machine/db/store.ts";

/** Settings with these rules and no others. */
export function ruleSettings(rules: readonly Rule[] = []): RuleSettings {
  return { rules, defaultRules: false, trust: { allowHosts: [] } };
}

/** What decisions are made with, where a test says nothing else. */
export function ruleDeps(
  { rules: store, labels: labelStore, contentLabels }: Pick<Store, "rules" | "labels" | "contentLabels">,
  rules: readonly Rule[] = [],
  clock = Date.now,
): ConstructorParameters<typeof Watchdog>[0] {
  const labels = new Labels({ store: labelStore, clock, parentOf: () => null, onProblem: () => {} });
  return {
    settings: ruleSettings(rules),
    book: new RuleBook({ store, parentOf: () => null, clock, newId: randomId }),
    workspaceOf: ({ agentName }) => `/workspaces/${agentName}`,
    labels,
    contentLabels: new ContentLabels({ store: contentLabels, labels, clock }),
    userHome: "/home/user",
    isShellSandboxed: () => false,
  };
}
