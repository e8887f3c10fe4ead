import { pick } from "../../../contract/shape.ts";
import type { LoadedSettings } from "../../../machine/config/load.ts";
import type { Rule } from "../../../machine/config/settings.ts";
import type { Identity } from "../../identity/identity.ts";
import { type RuleRecord, type RuleView, ruleView } from "../contract.ts";
import type { RuleBook } from "../rule-book.ts";

export interface RuleViewDeps {
  readonly ruleBook: Pick<RuleBook, "find">;
  readonly identity: Pick<Identity, "agentById">;
  /** The settings in force, with the files that they came from. */
  readonly loaded: () => Pick<LoadedSettings, "files">;
}

/** Of a rule that may be stored, come from a settings file, or come with Toolkeep. */
export function viewRule(deps: RuleViewDeps, rule: Rule): RuleView {
  const record = rule.id === undefined ? undefined : deps.ruleBook.find(rule.id);
  if (record) return viewStoredRule(deps, record, rule.from);
  const { permission, pattern, action, final = false, after, from, only, except, unless } = rule;
  return {
    id: null,
    from,
    where: whereOf(deps, from),
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

export function viewStoredRule(
  { identity }: Pick<RuleViewDeps, "identity">,
  record: RuleRecord,
  from?: RuleView["from"],
): RuleView {
  const { agentId, conversation } = record;
  const agent = agentId === null ? null : (identity.agentById(agentId)?.name ?? agentId);
  const scope = conversation !== null ? "session" : agentId !== null ? "agent" : "user";
  const onlyOfDefaults = { only: null, except: [], unless: null };
  return pick(ruleView, { ...record, ...onlyOfDefaults, from: from ?? scope, where: "stored", agent });
}

function whereOf({ loaded }: RuleViewDeps, from: Rule["from"]): string {
  if (from === "default") return "default";
  const file = loaded().files.find(({ scope, used }) => used && scope === from);
  return file?.path ?? "settings";
}
