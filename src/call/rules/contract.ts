/** The shapes of rules and labels: what is stored, what people send, what they get. */

import { z } from "zod";
import { anyObject, count, type Infer, optional, text, time, typed } from "../../contract/shape.ts";
import type { RulePattern } from "../../machine/config/settings.ts";

const texts = z.array(z.string());
const name = text(200);
const action = z.enum(["allow", "ask", "deny"]);
const anyPattern = z.unknown().describe("A glob, or an object of globs.");

/** A rule that a person wrote, or that an answer of a person left behind. */
export const storedRule = z.object({
  id: z.string(),
  /** Null: for every agent. */
  agentId: z.string().nullable(),
  /** Only in this conversation of the agent; null: in all. */
  conversation: z.string().nullable(),
  permission: z.string(),
  /** Null: every call. */
  pattern: typed<RulePattern>(anyPattern).nullable(),
  action,
  /** A deny that nothing loosens. */
  final: z.boolean(),
  /** Only once the conversation has this label. */
  after: z.string().nullable(),
  note: z.string(),
  /** Who made it, in words: `operator`, the id of an approval. */
  createdBy: z.string(),
  createdAt: time,
  /** Null: never. */
  expiresAt: time.nullable(),
  /** The approval whose answer it is; null: somebody wrote it. */
  questionId: z.string().nullable(),
});
export type RuleRecord = Infer<typeof storedRule>;

/** What a conversation has come in touch with, for rules with `after`. */
export const conversationLabel = z.object({
  /** Made of agent and conversation. */
  id: z.string(),
  agentId: z.string(),
  conversation: z.string(),
  /** None: a person cleared them. */
  labels: texts,
  /** When a label was last added or met again, or when they were cleared. */
  labelledAt: time,
});
export type LabelRecord = Omit<Infer<typeof conversationLabel>, "id">;

/** What the conversation that wrote a memory, a ticket, a report … had come in touch with. */
export const contentLabel = z.object({
  /** That of the memory, the ticket … */
  id: z.string(),
  labels: texts,
  labelledAt: time,
});
export type ContentLabelRecord = Infer<typeof contentLabel>;

/** Something that may happen only once. */
export const claim = z.object({ id: z.string(), expiresAt: time });

// Requests

/** The routes check these closer with `ruleShape`, whose messages are those of the settings. */
const shortText = z.string().max(200);
const ruleInput = z.strictObject({
  permission: shortText,
  action: typed<Infer<typeof action>>(shortText),
  ...optional({ pattern: typed<RulePattern>(z.unknown()), final: z.boolean(), after: shortText }),
});
const ruleInputOfAgent = ruleInput.extend(optional({ agent: name }));
const note = z.string().max(20_000);

export const newRule = ruleInputOfAgent.extend(
  optional({
    conversation: name,
    note,
    expiresInMs: z.int().min(1_000).max(3_155_760_000_000),
  }),
);
/** Who the rule is for, and until when, does not change. */
export const ruleChange = ruleInput.extend(optional({ note }));
/** Whatever somebody has typed so far. */
export const ruleDraft = z.object(
  optional({
    permission: z.unknown(),
    action: z.unknown(),
    pattern: z.unknown(),
    final: z.unknown(),
    after: z.unknown(),
    agent: z.unknown(),
  }),
);
/** Without `agent`: a call of the operator. */
export const explainInput = z.object({
  tool: name,
  ...optional({
    agent: name,
    conversation: name,
    arguments: anyObject,
    /** As if the conversation had these labels. */
    after: z.array(shortText).max(50),
  }),
});
export const simulateInput = z.object(
  optional({
    /** As if these were the rules of your settings file. */
    rules: z.array(ruleInput).max(1_000),
    /** As if these existed, too; only for the agent that a rule names. */
    add: z.array(ruleInputOfAgent).max(100),
    /** As if this stored rule did not exist. */
    without: name,
    since: count,
    limit: z.int().min(1).max(10_000),
  }),
);
export const labelQuery = z.object(optional({ agent: name }));
/** Without `conversation`: all conversations of the agent. */
export const clearedLabels = z.object({ agent: name, ...optional({ conversation: name }) });

/** A rule as people write it. */
export type RuleInput = Infer<typeof ruleInput>;
export type NewRuleInput = Infer<typeof newRule>;
export type RuleChange = Infer<typeof ruleChange>;
export type RuleDraft = Infer<typeof ruleDraft>;
export type ExplainInput = Infer<typeof explainInput>;
export type SimulateInput = Infer<typeof simulateInput>;

// Answers

export const ruleView = storedRule
  .pick({ permission: true, action: true, final: true, after: true, note: true, conversation: true })
  .extend({
    /** Null: it is not stored, but comes from a settings file or with Toolkeep. */
    id: z.string().nullable(),
    from: z.enum(["default", "user", "project", "agent", "session"]),
    /** The file, `stored`, or `default`. */
    where: z.string(),
    /** Its name. */
    agent: z.string().nullable(),
    pattern: typed<RulePattern | null>(anyPattern),
    /** Default rules only: it is only about tools of untrusted servers. */
    only: typed<"untrusted" | null>(z.string().nullable()),
    /** Default rules only: names of tools that it is not about. */
    except: texts,
    /** Default rules only: it does not count for calls that certainly match this. */
    unless: typed<RulePattern | null>(anyPattern),
    createdBy: z.string().nullable(),
    createdAt: time.nullable(),
    expiresAt: time.nullable(),
  })
  .meta({ id: "RuleView" });
export const ruleList = z.object({ rules: z.array(ruleView) }).meta({ id: "RuleList" });
export const ruleAnswer = z
  .object({
    rule: ruleView,
    /** No tool that exists now matches it. */
    unmatched: z.boolean(),
  })
  .meta({ id: "RuleAnswer" });

const ruleProblem = z.object({
  /** The part of the rule: `permission`, `pattern.path`. */
  field: z.string(),
  /** What was expected there. */
  expected: z.string(),
});
export const ruleCheck = z
  .object({
    ok: z.boolean(),
    problems: z.array(ruleProblem),
    /** The rule in words, as decisions name it; null if something is wrong. */
    text: z.string().nullable(),
    /** How many tools it is about now, and the first of them. */
    tools: count,
    some: texts,
    /** A stored rule that already says the same. */
    same: ruleView.nullable(),
  })
  .meta({ id: "RuleCheck" });

const otherRule = z.object({ rule: ruleView, matched: z.boolean(), why: z.string() });
export const ruleExplanation = z
  .object({
    tool: z.string(),
    agent: z.string(),
    capabilities: texts,
    action,
    /** The rule in words. */
    text: z.string(),
    /** Null: no rule matches. */
    rule: ruleView.nullable(),
    /** The agent is denied every call of the tool, so no list shows it. */
    hidden: z.boolean(),
    labels: texts.describe("What the conversation has come in touch with."),
    subjects: z.object({ path: texts, host: texts, command: texts }),
    others: z.array(otherRule),
    /** Rules that would each change the answer. */
    changes: z.array(
      z.object({
        permission: z.string(),
        action,
        ...optional({
          pattern: typed<RulePattern>(anyPattern),
          final: z.boolean(),
          after: z.string(),
          agent: z.string(),
        }),
      }),
    ),
  })
  .meta({ id: "RuleExplanation" });

const simulatedCall = z.object({
  id: z.string(),
  at: time,
  agent: z.string(),
  tool: z.string(),
  /** What was decided then; without `rules`, what would be decided now. */
  before: z.string(),
  after: z.string(),
  rule: z.string(),
  /** Why the answer may be wrong; null: it is certain. */
  unsure: z.string().nullable(),
});
export const ruleSimulation = z
  .object({
    looked: count,
    decided: count,
    skipped: count,
    incomplete: count,
    /** There are older calls that were not looked at. */
    more: z.boolean(),
    /** How many calls would have been decided differently. */
    different: count,
    /** The newest of these, at most 1,000. */
    differing: z.array(simulatedCall),
  })
  .meta({ id: "RuleSimulation" });

const labelledConversation = conversationLabel.pick({ labels: true, labelledAt: true }).extend({
  agent: z.string(),
  /** Null: labels from any call of the agent, which count for all its calls with a token for a day. */
  conversation: z.string().nullable(),
});
export const labelList = z
  .object({
    labelled: z.array(labelledConversation),
    /** There are more than are listed. */
    more: z.boolean(),
  })
  .meta({ id: "LabelList" });
/** `cleared`: the number of conversations. */
export const labelsCleared = z.object({ cleared: count }).meta({ id: "LabelsCleared" });

export type RuleView = Infer<typeof ruleView>;
export type RuleList = Infer<typeof ruleList>;
export type RuleAnswer = Infer<typeof ruleAnswer>;
export type RuleProblem = Infer<typeof ruleProblem>;
export type RuleCheck = Infer<typeof ruleCheck>;
export type OtherRule = Infer<typeof otherRule>;
export type RuleExplanation = Infer<typeof ruleExplanation>;
export type SimulatedCall = Infer<typeof simulatedCall>;
export type RuleSimulation = Infer<typeof ruleSimulation>;
export type LabelledConversation = Infer<typeof labelledConversation>;
export type LabelList = Infer<typeof labelList>;
export type LabelsCleared = Infer<typeof labelsCleared>;
