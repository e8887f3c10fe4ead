import { randomUUID } from "node:crypto";
import type { Caller } from "../../contract/caller.ts";
import { DONE, defineRoute, done, type Route } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import * as shapes from "./contract.ts";
import { isOfAnyCall } from "./labels.ts";
import { explain } from "./review/explain.ts";
import { checkDraft, checkRule, type RuleCheckDeps } from "./review/rule-check.ts";
import { type RuleSimulationDeps, simulateRules } from "./review/rule-simulation.ts";
import { viewRule, viewStoredRule } from "./review/rule-view.ts";
import type { RuleBook } from "./rule-book.ts";
import type { Watchdog } from "./watchdog.ts";

export interface RuleRouteDeps extends RuleCheckDeps, RuleSimulationDeps {
  readonly watchdog: Pick<Watchdog, "decider" | "isHidden" | "labelledConversations" | "clearLabels">;
  readonly ruleBook: RuleBook;
}

const MAX_LABELLED = 1_000;

export function ruleRoutes(deps: RuleRouteDeps): readonly Route[] {
  const { watchdog, ruleBook, identity, catalog, clock } = deps;
  const answer = (record: shapes.RuleRecord) => {
    const rule = viewStoredRule(deps, record);
    const matching = watchdog.decider.rules.toolsMatching(rule.permission, catalog().all());
    return { rule, unmatched: matching.length === 0 };
  };
  return [
    defineRoute({
      method: "GET",
      path: "/rules",
      summary: "Lists the rules, of whatever scope",
      answer: shapes.ruleList,
      async handle() {
        const unstored = watchdog.decider.rules.all.filter(({ rule }) => rule.id === undefined);
        return {
          rules: [
            ...unstored.map(({ rule }) => viewRule(deps, rule)),
            ...ruleBook.list().map((record) => viewStoredRule(deps, record)),
          ],
        };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/rules",
      summary: "Adds a rule",
      body: shapes.newRule,
      answer: shapes.ruleAnswer,
      status: 201,
      async handle({ body, by }) {
        const { agent, conversation, note, expiresInMs, ...rule } = body;
        const record = await ruleBook.add({
          ...checkRule(rule),
          agentId: agent === undefined ? null : identity.agent(agent).id,
          ...(conversation !== undefined && { conversation }),
          ...(note !== undefined && { note }),
          ...(expiresInMs !== undefined && { expiresAt: clock() + expiresInMs }),
          createdBy: by.name,
        });
        return answer(record);
      },
    }),
    defineRoute({
      method: "PUT",
      path: "/rules/:id",
      summary: "Makes a stored rule say something else; for whom it is stays",
      body: shapes.ruleChange,
      answer: shapes.ruleAnswer,
      async handle({ params, body: { note, ...rule } }) {
        const change = { ...checkRule(rule), ...(note !== undefined && { note }) };
        return answer(await ruleBook.replace(params.id, change));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/rules/:id",
      summary: "Removes a stored rule",
      answer: done,
      async handle({ params }) {
        await ruleBook.remove(params.id);
        return DONE;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/rules/check",
      role: "viewer",
      summary: "Says what is wrong with a rule that somebody writes, and what it would be about",
      body: shapes.ruleDraft,
      answer: shapes.ruleCheck,
      handle: async ({ body }) => checkDraft(deps, body),
    }),
    defineRoute({
      method: "POST",
      path: "/rules/explain",
      role: "viewer",
      summary: "Says what would become of a call, by which rule, and what would change that",
      body: shapes.explainInput,
      answer: shapes.ruleExplanation,
      handle: async ({ body }) => explainCall(deps, body),
    }),
    defineRoute({
      method: "POST",
      path: "/rules/simulate",
      role: "viewer",
      summary: "Says which calls of the audit other rules would have decided differently",
      body: shapes.simulateInput,
      answer: shapes.ruleSimulation,
      handle: ({ body, signal }) => simulateRules(deps, body, signal),
    }),
    ...labelRoutes(deps),
  ];
}

function labelRoutes({ watchdog, identity }: RuleRouteDeps): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/labels",
      summary: "Lists the conversations that have labels, newest first",
      query: shapes.labelQuery,
      answer: shapes.labelList,
      async handle({ query: { agent } }) {
        const only = agent === undefined ? undefined : identity.agent(agent).id;
        const all = watchdog
          .labelledConversations()
          .filter(({ agentId }) => only === undefined || agentId === only);
        return {
          labelled: all.slice(0, MAX_LABELLED).map(({ agentId, conversation, labels, labelledAt }) => ({
            agent: identity.agentById(agentId)?.name ?? agentId,
            conversation: isOfAnyCall(conversation) ? null : conversation,
            labels,
            labelledAt,
          })),
          more: all.length > MAX_LABELLED,
        };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/labels",
      role: "operator",
      summary: "Clears the labels of one conversation of an agent, or of all of them",
      query: shapes.clearedLabels,
      answer: shapes.labelsCleared,
      handle: async ({ query: { agent, conversation } }) => ({
        cleared: await watchdog.clearLabels(identity.agent(agent).id, conversation),
      }),
    }),
  ];
}

function explainCall(deps: RuleRouteDeps, input: shapes.ExplainInput): shapes.RuleExplanation {
  const { watchdog, identity, catalog } = deps;
  const { agent, conversation = randomUUID(), arguments: args = {}, after } = input;
  const caller: Caller =
    agent === undefined
      ? identity.operatorCaller(conversation)
      : identity.callerFor(identity.agent(agent), { tokenId: null, scopes: null, conversation });
  const tool = catalog().get(input.tool) ?? throwUnknownTool(deps, input.tool, caller);
  const { decider } = watchdog;
  const current = decider.callOf(caller, args);
  const call = after === undefined ? current : { ...current, labels: new Set(after) };
  const { operator, agentId } = caller;
  const { winner, others, ...explanation } = explain(
    decider.rules,
    tool,
    call,
    decider.extraRulesFor(caller),
    {
      operator,
      headless: !operator && identity.isHeadless(agentId),
      ...(agent !== undefined && { agent }),
    },
  );
  return {
    ...explanation,
    tool: tool.name,
    agent: caller.agentName,
    capabilities: tool.capabilities ?? [],
    rule: winner ? viewRule(deps, winner) : null,
    hidden: watchdog.isHidden(tool, caller),
    labels: [...(call.labels ?? [])],
    others: others.map(({ rule, matched, why }) => ({ rule: viewRule(deps, rule), matched, why })),
  };
}

/** The message is the one that a call with this name would get. */
function throwUnknownTool({ catalog }: RuleRouteDeps, name: string, caller: Caller): never {
  const resolved = catalog().resolve(name, caller);
  const message = resolved.ok ? `There is no tool ${JSON.stringify(name)}` : resolved.error.error.message;
  throw new ToolkeepError("NOT_FOUND", message);
}
