import type { Hub } from "../../../hub.ts";
import type { Rule } from "../../../machine/config/settings.ts";
import type { RuleRecord } from "../../../machine/db/tables/trust/rule-record.ts";
import type { RuleView } from "../contract/rule-contract.ts";

/** Of a rule that may be stored, or come from a file or with Toolkeep. */
export function ruleView(hub: Hub, rule: Rule): RuleView {
  const record = rule.id === undefined ? undefined : hub.ruleBook.find(rule.id);
  if (record) return storedView(hub, record, rule.from);
  const { permission, pattern, action, final = false, after, from, only, except, unless } = rule;
  return {
    id: null,
    from,
    where: whereOf(hub, from),
    agent: null,
    conversation: null,
    permission,
    pattern: pattern ?? null,
    action,
    final,
    after: after ?? null,
    only: only ?? null,
    except: except ?? [],
    unless: unless ?? null,
    note: "",
    createdBy: null,
    createdAt: null,
    expiresAt: null,
  };
}

export function storedView(hub: Hub, record: RuleRecord, from?: RuleView["from"]): RuleView {
  const { agentId, conversation, questionId: _, ...rest } = record;
  const agent = agentId === null ? null : (hub.identity.agentById(agentId)?.name ?? agentId);
  const scope = conversation !== null ? "session" : agentId !== null ? "agent" : "user";
  const everything = { only: null, except: [], unless: null };
  return { ...rest, ...everything, from: from ?? scope, where: "stored", agent, conversation };
}

function whereOf(hub: Hub, from: Rule["from"]): string {
  if (from === "default") return "default";
  const file = hub.loaded.files.find(({ scope, used }) => used && scope === from);
  return file?.path ?? "settings";
}
