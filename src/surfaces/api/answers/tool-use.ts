import { OUTCOMES } from "../../../contract/tool.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

const share: s.Schema = { type: "number" };

/** How tools are found and used. */
export const toolUseAnswers = {
  ToolUse: s.shape<contract.ToolUse>({
    tool: s.text,
    agents: s.listOf(
      s.shape<contract.ToolHolder>({
        agent: s.text,
        grantedBy: s.texts,
        listed: { ...s.yesNo, description: "In the list that a conversation begins with." },
        decision: s.anyOfTexts(["allow", "ask", "deny"]),
        rule: s.text,
      }),
    ),
    since: s.time,
    calls: s.shape<contract.CallSummary>(
      {
        counted: s.count,
        more: s.yesNo,
        failed: s.count,
        refused: s.count,
        p50Ms: s.orNull(s.count),
        p95Ms: s.orNull(s.count),
        outcomes: { type: "object", propertyNames: s.anyOfTexts(OUTCOMES), additionalProperties: s.count },
      },
      "Of the newest calls, at most 1,000.",
    ),
    callers: s.listOf(
      s.shape<contract.CallerSummary>({ agent: s.text, calls: s.count, failed: s.count, lastAt: s.time }),
    ),
  }),
  ToolSearchAnswer: s.shape<contract.ToolSearchAnswer>({
    matches: s.listOf(
      s.shape<contract.ToolMatch>({
        tool: s.ref("ListedTool"),
        score: share,
        why: s.shape<contract.SearchReason>(
          {
            named: { ...s.yesNo, description: "The query is its name." },
            words: s.listOf(
              s.shape<contract.WordReason>({
                word: s.text,
                standsIn: s.yesNo,
                fields: s.texts,
                score: share,
              }),
            ),
            coverage: share,
            meaning: share,
            learned: share,
          },
          "The parts of the score.",
        ),
        alike: s.texts,
      }),
    ),
    among: { ...s.count, description: "How many tools were searched." },
    notFound: s.texts,
    ambiguous: s.texts,
  }),
};
