import type { Rule } from "../../src/config/settings.ts";
import { randomId } from "../../src/lib/id.ts";
import type { Store } from "../../src/store/store.ts";
import type { RuleSettings } from "../../src/watchdog/decider.ts";
import { Labels } from "../../src/watchdog/labels.ts";
import { RuleBook } from "../../src/watchdog/rule-book.ts";
import type { Watchdog } from "../../src/watchdog/watchdog.ts";

/** Settings with these rules and no others. */
export function ruleSettings(rules: readonly Rule[] = []): RuleSettings {
  return { rules, defaultRules: false, trust: { allowHosts: [] } };
}

/** What decisions are made with, where a test says nothing else. */
export function ruleDeps(
  { rules: store, labels }: Pick<Store, "rules" | "labels">,
  rules: readonly Rule[] = [],
  clock = Date.now,
): ConstructorParameters<typeof Watchdog>[0] {
  return {
    settings: ruleSettings(rules),
    book: new RuleBook({ store, parentOf: () => null, clock, newId: randomId }),
    workspaceOf: ({ agentName }) => `/workspaces/${agentName}`,
    labels: new Labels({ store: labels, clock, parentOf: () => null, onProblem: () => {} }),
    userHome: "/home/user",
    isShellSandboxed: () => false,
  };
}
