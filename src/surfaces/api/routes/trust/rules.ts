import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { explain } from "../../../../call/rules/explain.ts";
import type { Caller } from "../../../../contract/caller.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Hub } from "../../../../hub.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  ExplainInput,
  NewRuleInput,
  RuleAnswer,
  RuleChange,
  RuleCheck,
  RuleDraft,
  RuleExplanation,
  RuleList,
  RuleView,
  SimulateInput,
} from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { checkDraft, checkedRule } from "../../rules/rule-check.ts";
import { simulation } from "../../rules/rule-simulation.ts";
import { ruleView, storedView } from "../../rules/rule-view.ts";
import { byId, exactly, longText, nameText, shortText } from "../../schema.ts";

/** Looked at more closely by `ruleShape`, which says what is wrong in the words of the settings. */
const written = {
  permission: shortText,
  action: shortText,
  pattern: {},
  final: { type: "boolean" },
  after: shortText,
};
const newRule = exactly(
  {
    ...written,
    agent: nameText,
    conversation: nameText,
    note: longText,
    expiresInMs: { type: "integer", minimum: 1_000, maximum: 3_155_760_000_000 },
  },
  ["permission", "action"],
);
const changedRule = exactly({ ...written, note: longText }, ["permission", "action"]);
const labels = { type: "array", maxItems: 50, items: shortText };
const explained = exactly(
  { tool: nameText, agent: nameText, conversation: nameText, arguments: { type: "object" }, after: labels },
  ["tool"],
);
const simulated = exactly({
  rules: { type: "array", maxItems: 1_000, items: exactly(written, ["permission", "action"]) },
  add: {
    type: "array",
    maxItems: 100,
    items: exactly({ ...written, agent: nameText }, ["permission", "action"]),
  },
  without: nameText,
  since: { type: "integer", minimum: 0 },
  limit: { type: "integer", minimum: 1, maximum: 10_000 },
});
/** Whatever somebody has typed so far. */
const draft = exactly({ permission: {}, action: {}, pattern: {}, final: {}, after: {}, agent: {} });

export function ruleRoutes(app: FastifyInstance, { hub, options, admins }: ApiContext): void {
  app.get(
    "/rules",
    { schema: { summary: "Lists the rules, of whatever scope", response: gives("RuleList") } },
    (): RuleList => ({
      rules: [
        ...hub.watchdog.decider.rules.all
          .filter(({ rule }) => rule.id === undefined)
          .map(({ rule }) => ruleView(hub, rule)),
        ...hub.ruleBook.list().map((record) => storedView(hub, record)),
      ],
    }),
  );

  app.post<{ Body: NewRuleInput }>(
    "/rules",
    { schema: { summary: "Adds a rule", body: newRule, response: gives("RuleAnswer", 201) } },
    async (request, reply): Promise<RuleAnswer> => {
      const { agent, conversation, note, expiresInMs, ...rule } = request.body;
      const record = await hub.ruleBook.add({
        ...checkedRule(rule),
        agentId: agent === undefined ? null : hub.identity.agent(agent).id,
        ...(conversation !== undefined && { conversation }),
        ...(note !== undefined && { note }),
        ...(expiresInMs !== undefined && { expiresAt: options.clock() + expiresInMs }),
        createdBy: admins.admitted(request).actor.name,
      });
      reply.code(201);
      const view = storedView(hub, record);
      return { rule: view, unmatched: isUnmatched(hub, view) };
    },
  );

  app.put<{ Params: { id: string }; Body: RuleChange }>(
    "/rules/:id",
    {
      schema: {
        summary: "Makes a stored rule say something else; for whom it is stays",
        params: byId,
        body: changedRule,
        response: gives("RuleAnswer"),
      },
    },
    async ({ params, body }): Promise<RuleAnswer> => {
      const { note, ...rule } = body;
      const record = await hub.ruleBook.replace(params.id, {
        ...checkedRule(rule),
        ...(note !== undefined && { note }),
      });
      const view = storedView(hub, record);
      return { rule: view, unmatched: isUnmatched(hub, view) };
    },
  );

  app.delete<{ Params: { id: string } }>(
    "/rules/:id",
    { schema: { summary: "Removes a stored rule", params: byId, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await hub.ruleBook.remove(params.id);
      return { done: true };
    },
  );

  app.post<{ Body: RuleDraft }>(
    "/rules/check",
    {
      schema: {
        role: "viewer",
        summary: "Says what is wrong with a rule that somebody writes, and what it would be about",
        body: draft,
        response: gives("RuleCheck"),
      },
    },
    ({ body }): RuleCheck => checkDraft(hub, body),
  );

  app.post<{ Body: ExplainInput }>(
    "/rules/explain",
    {
      schema: {
        role: "viewer",
        summary: "Says what would become of a call, by which rule, and what would change that",
        body: explained,
        response: gives("RuleExplanation"),
      },
    },
    ({ body }): RuleExplanation => explanationOf(hub, body),
  );

  app.post<{ Body: SimulateInput }>(
    "/rules/simulate",
    {
      schema: {
        role: "viewer",
        summary: "Says which calls of the audit other rules would have decided differently",
        body: simulated,
        response: gives("RuleSimulation"),
      },
    },
    ({ body }, reply) => whileConnected(reply, (signal) => simulation(hub, body, signal)),
  );
}

function isUnmatched(hub: Hub, { permission }: RuleView): boolean {
  return hub.watchdog.decider.rules.toolsMatching(permission, hub.catalog.all()).length === 0;
}

function explanationOf(hub: Hub, input: ExplainInput): RuleExplanation {
  const { agent, conversation = randomUUID(), arguments: args = {}, after } = input;
  const caller: Caller =
    agent === undefined
      ? hub.identity.operatorCaller(conversation)
      : hub.identity.callerFor(hub.identity.agent(agent), { tokenId: null, scopes: null, conversation });
  const tool = hub.catalog.get(input.tool) ?? throwUnknown(hub, input.tool, caller);
  const { decider } = hub.watchdog;
  const found = decider.callOf(caller, args);
  const call = after === undefined ? found : { ...found, labels: new Set(after) };
  const { operator, agentId } = caller;
  const { winner, others, ...said } = explain(decider.rules, tool, call, decider.extraRulesFor(caller), {
    operator,
    headless: !operator && hub.identity.isHeadless(agentId),
    ...(agent !== undefined && { agent }),
  });
  return {
    ...said,
    tool: tool.name,
    agent: caller.agentName,
    capabilities: tool.capabilities ?? [],
    rule: winner ? ruleView(hub, winner) : null,
    hidden: hub.watchdog.isHidden(tool, caller),
    labels: [...(call.labels ?? [])],
    others: others.map(({ rule, matched, why }) => ({ rule: ruleView(hub, rule), matched, why })),
  };
}

/** By its own name, or as a call might name it. */
function throwUnknown(hub: Hub, name: string, caller: Caller): never {
  const resolved = hub.catalog.resolve(name, caller);
  const message = resolved.ok ? `There is no tool ${JSON.stringify(name)}` : resolved.error.error.message;
  throw new ToolkeepError("NOT_FOUND", message);
}
