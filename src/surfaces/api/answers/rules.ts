import type * as contract from "../contract/rule-contract.ts";
import {
  anyOfTexts,
  count,
  listOf,
  optional,
  orNull,
  ref,
  shape,
  text,
  texts,
  time,
  yesNo,
} from "./shape.ts";

const action = anyOfTexts(["allow", "ask", "deny"]);
const pattern = { description: "A glob, or an object of globs." };
const labels = { ...texts, description: "What the conversation has come in touch with." };

export const ruleAnswers = {
  RuleView: shape<contract.RuleView>({
    id: orNull(text),
    from: anyOfTexts(["default", "user", "project", "agent", "session"]),
    where: text,
    agent: orNull(text),
    conversation: orNull(text),
    permission: text,
    pattern,
    action,
    final: yesNo,
    after: orNull(text),
    only: orNull(text),
    except: texts,
    unless: pattern,
    note: text,
    createdBy: orNull(text),
    createdAt: orNull(time),
    expiresAt: orNull(time),
  }),
  RuleList: shape<contract.RuleList>({ rules: listOf(ref("RuleView")) }),
  RuleAnswer: shape<contract.RuleAnswer>({ rule: ref("RuleView"), unmatched: yesNo }),
  RuleCheck: shape<contract.RuleCheck>({
    ok: yesNo,
    problems: listOf(shape<contract.RuleProblem>({ field: text, expected: text })),
    text: orNull(text),
    tools: count,
    some: texts,
    same: orNull(ref("RuleView")),
  }),
  RuleExplanation: shape<contract.RuleExplanation>({
    tool: text,
    agent: text,
    capabilities: texts,
    action,
    text,
    rule: orNull(ref("RuleView")),
    hidden: yesNo,
    labels,
    subjects: shape<contract.RuleExplanation["subjects"]>({ path: texts, host: texts, command: texts }),
    others: listOf(shape<contract.OtherRule>({ rule: ref("RuleView"), matched: yesNo, why: text })),
    changes: listOf(
      shape<contract.RuleExplanation["changes"][number]>({
        permission: text,
        action,
        pattern: optional(pattern),
        final: optional(yesNo),
        after: optional(text),
        agent: optional(text),
      }),
    ),
  }),
  LabelList: shape<contract.LabelList>({
    labelled: listOf(
      shape<contract.LabelledConversation>({
        agent: text,
        conversation: orNull(text),
        labels: texts,
        labelledAt: time,
      }),
    ),
    more: yesNo,
  }),
  LabelsCleared: shape<contract.LabelsCleared>({ cleared: count }),
  RuleSimulation: shape<contract.RuleSimulation>({
    looked: count,
    decided: count,
    skipped: count,
    incomplete: count,
    more: yesNo,
    different: count,
    differing: listOf(
      shape<contract.SimulatedCall>({
        id: text,
        at: time,
        agent: text,
        tool: text,
        before: text,
        after: text,
        rule: text,
        unsure: orNull(text),
      }),
    ),
  }),
};
