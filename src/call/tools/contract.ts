/** The shapes of tools as people look at them: lists, one tool, its use, searches. Views of tools are in `contract/tool-shapes.ts`. */

import { z } from "zod";
import { anyObject, count, type Infer, optional, text, time } from "../../contract/shape.ts";
import { CAPABILITIES, OUTCOMES } from "../../contract/tool.ts";
import { finding, listedTool, toolTokens, toolView, untrustedTool } from "../../contract/tool-shapes.ts";

// Requests

const name = text(200);

/** Conditions on tools; a tool has to meet all that are given. */
const conditions = {
  origin: name.describe(
    "`native`, `platform`, `custom`, `plugin:NAME` or `mcp:SERVER`; `mcp` and `plugin` for all of them.",
  ),
  server: name.describe("The same as `origin=mcp:SERVER`."),
  flag: z.enum(["read_only", "destructive", "other", "floor", "untrusted"]),
  state: z.enum(["active", "disabled", "pending_approval", "unavailable", "planned"]),
};
export const toolFilter = z.object(optional(conditions));
export type ToolFilter = Infer<typeof toolFilter>;
export type ToolFlag = NonNullable<ToolFilter["flag"]>;

export const toolQuery = toolFilter.extend(
  optional({
    agent: name.describe("Only what this agent sees."),
    text: name.describe("Only tools with this in their name or title."),
    brief: z.boolean().describe("Descriptions are cut."),
    limit: z.int().min(1).max(5_000).describe("Default: all."),
    offset: z.int().min(0).max(1_000_000),
  }),
);
export type ToolQuery = Infer<typeof toolQuery>;

export const toolUseQuery = z.object({ days: z.int().min(1).max(3_650).exactOptional() });

export const toolSearchQuery = toolFilter.extend({
  query: text(2_000),
  ...optional({
    agent: name.describe("Absent: the operator, who has every tool."),
    limit: z.int().min(1).max(100),
  }),
});
export type ToolSearchQuery = Infer<typeof toolSearchQuery>;

export const toolCapabilitiesChange = z.object({
  capabilities: z
    .array(z.enum(CAPABILITIES))
    .max(CAPABILITIES.length)
    .meta({ uniqueItems: true })
    .nullable()
    .describe("Null: those that its definition says."),
});
export type ToolCapabilitiesChange = Infer<typeof toolCapabilitiesChange>;

// Answers

const originCount = z.object({ origin: z.string(), tools: count });
export type OriginCount = Infer<typeof originCount>;

export const toolList = z
  .object({
    tools: z.array(listedTool),
    total: count.describe("On this page or not."),
    origins: z
      .array(originCount)
      .describe("Where the tools come from that the agent sees, whatever else is asked for."),
  })
  .meta({ id: "ToolList" });
export type ToolList = Infer<typeof toolList>;

const toolDetail = toolView.extend({
  inputSchema: anyObject,
  outputSchema: anyObject.exactOptional(),
  timeoutMs: count,
  tokens: toolTokens,
  deferrable: z.boolean().describe("A list may leave it to tool_search."),
  capabilities: z.array(z.enum(CAPABILITIES)).describe("What it can do outside its call."),
  corrected: z.boolean().describe("A person said what it can do."),
  findings: z.array(finding).describe("What to look at in what it says of itself."),
  untrusted: untrustedTool,
  warnings: z.array(z.string()).describe("What people should know, such as that its schema cannot be used."),
  toolboxes: z.array(z.string()).describe("The toolboxes that give it."),
  agents: z.array(z.string()).describe("The agents that may call it."),
});
export type ToolDetail = Infer<typeof toolDetail>;

export const toolAnswer = z.object({ tool: toolDetail }).meta({ id: "ToolAnswer" });
export type ToolAnswer = Infer<typeof toolAnswer>;

const toolHolder = z
  .object({
    agent: z.string(),
    grantedBy: z.array(z.string()),
    listed: z
      .boolean()
      .describe("In the list that a conversation begins with; otherwise tool_search finds it."),
    decision: z
      .enum(["allow", "ask", "deny"])
      .describe("What the rules say to a call, whatever its arguments."),
    rule: z.string(),
  })
  .describe("An agent that has the tool, or would have it if no rule denied it.");
export type ToolHolder = Infer<typeof toolHolder>;

const callSummary = z
  .object({
    counted: count,
    more: z.boolean().describe("There were more calls than are counted."),
    failed: count.describe("Calls that reached the tool and did not end well."),
    refused: count.describe("Calls that were refused before they reached it."),
    p50Ms: count.nullable().describe("Of the calls that reached it; null where none did."),
    p95Ms: count.nullable(),
    outcomes: z.partialRecord(z.enum(OUTCOMES), count),
  })
  .describe("Of the newest calls, at most 1,000.");
export type CallSummary = Infer<typeof callSummary>;

const callerSummary = z.object({ agent: z.string(), calls: count, failed: count, lastAt: time });
export type CallerSummary = Infer<typeof callerSummary>;

export const toolUse = z
  .object({
    tool: z.string(),
    agents: z.array(toolHolder),
    since: time,
    calls: callSummary,
    callers: z.array(callerSummary).describe("Who called it, most calls first."),
  })
  .meta({ id: "ToolUse" });
export type ToolUse = Infer<typeof toolUse>;

const wordReason = z.object({
  word: z.string(),
  standsIn: z.boolean().describe("It stands in for a word that no tool has."),
  fields: z.array(z.string()),
  score: z.number(),
});
export type WordReason = Infer<typeof wordReason>;

const searchReason = z
  .object({
    named: z.boolean().describe("The query is its name."),
    words: z.array(wordReason),
    coverage: z.number().describe("For how much of its name the query says."),
    meaning: z.number(),
    learned: z.number().describe("For what was called after such searches before."),
  })
  .describe("The parts of the score.");
export type SearchReason = Infer<typeof searchReason>;

const toolMatch = z.object({
  tool: listedTool,
  score: z.number().describe("Comparable within one search only; 0 for what the query names."),
  why: searchReason,
  alike: z.array(z.string()).describe("Tools of other servers that do the same."),
});
export type ToolMatch = Infer<typeof toolMatch>;

export const toolSearchAnswer = z
  .object({
    matches: z.array(toolMatch).describe("Best first."),
    among: count.describe("How many tools were searched."),
    notFound: z.array(z.string()).describe("Names after `select:` that no tool has."),
    ambiguous: z.array(z.string()).describe("Names after `select:` that several tools have."),
  })
  .meta({ id: "ToolSearchAnswer" });
export type ToolSearchAnswer = Infer<typeof toolSearchAnswer>;
