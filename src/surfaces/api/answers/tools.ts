import { SCOPES } from "../../../contract/caller.ts";
import { CAPABILITIES, DOMAINS, OUTCOMES, type ToolFlags } from "../../../contract/tool.ts";
import type * as contract from "../contract.ts";
import {
  anyObject,
  anyOfTexts,
  count,
  listOf,
  oneOf,
  optional,
  orNull,
  ref,
  type Shape,
  shape,
  text,
  texts,
  time,
  yesNo,
} from "./shape.ts";
import { toolUseAnswers } from "./tool-use.ts";

export const toolStatus = oneOf(
  shape<{ kind: "active" }>({ kind: { const: "active" } }),
  shape<{ kind: string; reason: string }>({
    kind: anyOfTexts(["disabled", "pending_approval", "unavailable", "planned"]),
    reason: text,
  }),
);

export const toolFlags = shape<ToolFlags>({ readOnly: yesNo, concurrencySafe: yesNo, destructive: yesNo });

/** What is shown of a tool wherever one is. */
export const toolViewFields: Shape<contract.ToolView> = {
  name: text,
  ownName: text,
  title: optional(text),
  description: text,
  origin: {
    type: "string",
    description: "`native`, `platform`, `custom`, `plugin:` with its plugin, or `mcp:` with its server.",
  },
  scope: anyOfTexts(SCOPES),
  availability: anyOfTexts(["main", "sub-agent", "both"]),
  floor: yesNo,
  flags: toolFlags,
  status: toolStatus,
};

const tokens = { ...count, description: "About how many tokens it takes in the list of a model." };

/** The same in a list. */
export const listedToolFields: Shape<contract.ListedTool> = {
  ...toolViewFields,
  domain: optional(anyOfTexts(DOMAINS)),
  tokens,
  untrusted: { ...yesNo, description: "It comes from an untrusted server." },
};

/** Tools, calls of them, and the audit. */
export const toolAnswers = {
  ListedTool: shape<contract.ListedTool>(listedToolFields),
  ToolList: shape<contract.ToolList>({
    tools: listOf(ref("ListedTool")),
    total: { ...count, description: "On this page or not." },
    origins: listOf(shape<contract.OriginCount>({ origin: text, tools: count })),
  }),
  ...toolUseAnswers,
  ToolAnswer: shape<contract.ToolAnswer>({
    tool: shape<contract.ToolDetail>({
      ...toolViewFields,
      inputSchema: anyObject,
      outputSchema: optional(anyObject),
      timeoutMs: count,
      tokens,
      deferrable: { type: "boolean", description: "A list may leave it to tool_search." },
      capabilities: {
        ...listOf(anyOfTexts(CAPABILITIES)),
        description: "What it can do outside its call.",
      },
      corrected: { type: "boolean", description: "A person said what it can do." },
      findings: { ...listOf(ref("Finding")), description: "What to look at in what it says of itself." },
      untrusted: { type: "boolean", description: "It comes from an untrusted server." },
      warnings: texts,
      toolboxes: { ...texts, description: "The toolboxes that give it." },
      agents: { ...texts, description: "The agents that may call it." },
    }),
  }),
  ToolOutcome: shape<contract.ToolOutcome>(
    {
      callId: text,
      outcome: anyOfTexts(OUTCOMES),
      tool: optional(text),
      content: { ...listOf(anyObject), description: "Blocks of MCP content." },
      structured: optional(anyObject),
      structuredValue: optional({
        description: "In the place of structured, where the result is no object.",
      }),
      meta: optional(anyObject),
      text: { type: "string", description: "What a model reads." },
      error: optional(
        shape<NonNullable<contract.ToolOutcome["error"]>>(
          { message: text, remedy: optional(text), details: optional(anyObject) },
          "There unless the outcome is ok.",
        ),
      ),
      fault: optional(
        shape<NonNullable<contract.ToolOutcome["fault"]>>({
          code: { type: "integer" },
          message: text,
          data: optional({}),
        }),
      ),
      asked: optional(
        shape<NonNullable<contract.ToolOutcome["asked"]>>({
          inquiries: anyObject,
          state: optional(text),
          approved: optional(text),
          approval: optional(text),
        }),
      ),
      task: optional({
        type: "object",
        description: "Work that goes on after the call, as MCP tasks have it.",
      }),
      durationMs: count,
      truncated: yesNo,
      fullOutput: optional(
        shape<NonNullable<contract.ToolOutcome["fullOutput"]>>(
          { id: text, chars: count, bytes: count },
          "The whole text of an output that was cut, for read_tool_output.",
        ),
      ),
    },
    "How a call ended.",
  ),
  CallView: shape<contract.CallView>({
    id: text,
    agent: text,
    tokenId: orNull(text),
    conversation: text,
    via: text,
    requested: text,
    tool: orNull(text),
    arguments: { type: "string", description: "JSON, without secrets, cut at 4 kB." },
    decision: orNull(text),
    rule: orNull(text),
    outcome: oneOf(anyOfTexts(OUTCOMES), {
      type: "null",
      description: "A destructive call is under way.",
    }),
    error: orNull(text),
    startedAt: time,
    durationMs: orNull(count),
    person: {
      ...orNull(text),
      description: "Who called, or had the agent call; null: the agent itself.",
    },
    labels: orNull(text),
    approvalId: orNull(text),
    approvedBy: orNull(text),
    chain: orNull(text),
    seq: orNull(count),
    mac: orNull(text),
  }),
  CallList: shape<contract.CallList>({ calls: listOf(ref("CallView")) }, "The audit, newest first."),
};
