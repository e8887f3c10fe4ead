import { OUTCOMES } from "../../../contract/tool.ts";
import type * as contract from "../contract.ts";
import {
  anyOfTexts,
  count,
  listOf,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  texts,
  time,
  yesNo,
} from "./shape.ts";

const share: Schema = { type: "number" };

/** How tools are found and used. */
export const toolUseAnswers = {
  ToolUse: shape<contract.ToolUse>({
    tool: text,
    agents: listOf(
      shape<contract.ToolHolder>({
        agent: text,
        grantedBy: texts,
        listed: { ...yesNo, description: "In the list that a conversation begins with." },
        decision: anyOfTexts(["allow", "ask", "deny"]),
        rule: text,
      }),
    ),
    since: time,
    calls: shape<contract.CallSummary>(
      {
        counted: count,
        more: yesNo,
        failed: count,
        refused: count,
        p50Ms: orNull(count),
        p95Ms: orNull(count),
        outcomes: { type: "object", propertyNames: anyOfTexts(OUTCOMES), additionalProperties: count },
      },
      "Of the newest calls, at most 1,000.",
    ),
    callers: listOf(
      shape<contract.CallerSummary>({ agent: text, calls: count, failed: count, lastAt: time }),
    ),
  }),
  ToolSearchAnswer: shape<contract.ToolSearchAnswer>({
    matches: listOf(
      shape<contract.ToolMatch>({
        tool: ref("ListedTool"),
        score: share,
        why: shape<contract.SearchReason>(
          {
            named: { ...yesNo, description: "The query is its name." },
            words: listOf(
              shape<contract.WordReason>({ word: text, standsIn: yesNo, fields: texts, score: share }),
            ),
            coverage: share,
            meaning: share,
            learned: share,
          },
          "The parts of the score.",
        ),
        alike: texts,
      }),
    ),
    among: { ...count, description: "How many tools were searched." },
    notFound: texts,
    ambiguous: texts,
  }),
};
