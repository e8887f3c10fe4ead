import { SCOPES } from "../../../contract/caller.ts";
import { CAPABILITIES, DOMAINS, type ToolFlags } from "../../../contract/tool.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";
import { toolUseAnswers } from "./tool-use.ts";

export const toolStatus = s.oneOf(
  s.shape<{ kind: "active" }>({ kind: { const: "active" } }),
  s.shape<{ kind: string; reason: string }>({
    kind: s.anyOfTexts(["disabled", "pending_approval", "unavailable", "planned"]),
    reason: s.text,
  }),
);

export const toolFlags = s.shape<ToolFlags>({
  readOnly: s.yesNo,
  concurrencySafe: s.yesNo,
  destructive: s.yesNo,
});

/** What is shown of a tool wherever one is. */
export const toolViewFields: s.Shape<contract.ToolView> = {
  name: s.text,
  ownName: s.text,
  title: s.optional(s.text),
  description: s.text,
  origin: {
    type: "string",
    description: "`native`, `platform`, `custom`, `plugin:` with its plugin, or `mcp:` with its server.",
  },
  scope: s.anyOfTexts(SCOPES),
  availability: s.anyOfTexts(["main", "sub-agent", "both"]),
  floor: s.yesNo,
  flags: toolFlags,
  status: toolStatus,
};

const tokens = { ...s.count, description: "About how many tokens it takes in the list of a model." };

/** The same in a list. */
export const listedToolFields: s.Shape<contract.ListedTool> = {
  ...toolViewFields,
  domain: s.optional(s.anyOfTexts(DOMAINS)),
  tokens,
  untrusted: { ...s.yesNo, description: "It comes from an untrusted server." },
};

/** Tools, calls of them, and the audit. */
export const toolAnswers = {
  ToolList: s.shape<contract.ToolList>({
    tools: s.listOf(s.ref("ListedTool")),
    total: { ...s.count, description: "On this page or not." },
    origins: s.listOf(s.shape<contract.OriginCount>({ origin: s.text, tools: s.count })),
  }),
  ...toolUseAnswers,
  ToolAnswer: s.shape<contract.ToolAnswer>({
    tool: s.shape<contract.ToolDetail>({
      ...toolViewFields,
      inputSchema: s.anyObject,
      outputSchema: s.optional(s.anyObject),
      timeoutMs: s.count,
      tokens,
      deferrable: { type: "boolean", description: "A list may leave it to tool_search." },
      capabilities: {
        ...s.listOf(s.anyOfTexts(CAPABILITIES)),
        description: "What it can do outside its call.",
      },
      corrected: { type: "boolean", description: "A person said what it can do." },
      findings: { ...s.listOf(s.ref("Finding")), description: "What to look at in what it says of itself." },
      untrusted: { type: "boolean", description: "It comes from an untrusted server." },
      warnings: s.texts,
      toolboxes: { ...s.texts, description: "The toolboxes that give it." },
      agents: { ...s.texts, description: "The agents that may call it." },
    }),
  }),
};
