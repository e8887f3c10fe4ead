import { LABEL, ROLES, SCOPES } from "../../../contract/caller.ts";
import type * as contract from "../contract.ts";
import { accessAnswers, planned, unanswered } from "./access.ts";
import * as s from "./shape.ts";

/** Of a scope that is about a label. */
const LABEL_PATTERN = LABEL.source.replace("^", "^label:");
const folder = s.shape<contract.FolderGrant>({ path: s.text, access: s.anyOfTexts(["read", "write"]) });

/** Agents, their tokens and messages, and toolboxes. */
export const agentAnswers = {
  AgentView: s.shape<contract.AgentView>(
    {
      id: s.text,
      name: s.text,
      description: s.text,
      parent: s.orNull(s.text),
      context: s.anyOfTexts(["main", "sub-agent", "scout"]),
      toolboxes: s.texts,
      grants: s.texts,
      folders: s.listOf(folder),
      pins: s.texts,
      model: s.orNull(s.text),
      headless: { ...s.yesNo, description: "What would ask a person is denied." },
      localModel: { ...s.yesNo, description: "Its model runs on this machine or near it." },
      coordinator: { ...s.yesNo, description: "It leads other agents." },
      toolCount: s.count,
      createdAt: s.time,
      updatedAt: s.time,
    },
    "Who calls tools; `toolCount` says how many it sees now.",
  ),
  AgentList: s.shape<contract.AgentList>({ agents: s.listOf(s.ref("AgentView")) }),
  AgentAnswer: s.shape<contract.AgentAnswer>(
    { agent: s.ref("AgentView"), ...unanswered },
    "`unknown`: names in its toolboxes and grants that nothing has. `unmatched`: patterns that match no tool yet.",
  ),
  ...accessAnswers,
  TokenView: s.shape<contract.TokenView>(
    {
      id: s.text,
      kind: s.anyOfTexts(["agent", "admin"]),
      agent: s.orNull(s.text),
      label: s.text,
      hint: { type: "string", description: "The last four characters." },
      scopes: s.oneOf(s.listOf(s.oneOf(s.anyOfTexts(SCOPES), { type: "string", pattern: LABEL_PATTERN })), {
        type: "null",
        description: "Every scope of tools.",
      }),
      createdAt: s.time,
      expiresAt: s.orNull(s.time),
      lastUsedAt: s.orNull(s.time),
      client: s.oneOf(
        s.shape<NonNullable<contract.TokenView["client"]>>({ id: s.text, name: s.text, renewsUntil: s.time }),
        {
          type: "null",
          description: "A person made it.",
        },
      ),
      resource: s.oneOf({ type: "string", description: "The only path it opens." }, { type: "null" }),
      interactive: { ...s.yesNo, description: "Its client may approve single calls." },
      requestsPerMinute: s.orNull(s.count),
      role: s.oneOf(s.anyOfTexts(ROLES), { type: "null", description: "It is an agent's." }),
    },
    "A token without its value.",
  ),
  TokenList: s.shape<contract.TokenList>({ tokens: s.listOf(s.ref("TokenView")) }),
  TokenAnswer: s.shape<contract.TokenAnswer>({
    token: { type: "string", description: "Shown this once." },
    record: s.ref("TokenView"),
  }),

  ToolboxView: s.shape<contract.ToolboxView>(
    {
      name: s.text,
      description: s.text,
      tools: s.texts,
      builtin: s.yesNo,
      ...unanswered,
      planned,
      agents: s.texts,
      createdAt: s.time,
      updatedAt: s.time,
    },
    "A named allow-list of tools.",
  ),
  ToolboxList: s.shape<contract.ToolboxList>({ toolboxes: s.listOf(s.ref("ToolboxView")) }),
  ToolboxAnswer: s.shape<contract.ToolboxAnswer>({ toolbox: s.ref("ToolboxView") }),
};
