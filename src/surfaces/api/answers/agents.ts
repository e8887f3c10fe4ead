import { LABEL, ROLES, SCOPES } from "../../../contract/caller.ts";
import type * as contract from "../contract.ts";
import { accessAnswers, planned, unanswered } from "./access.ts";
import { anyOfTexts, count, listOf, oneOf, orNull, ref, shape, text, texts, time, yesNo } from "./shape.ts";

/** Of a scope that is about a label. */
const LABEL_PATTERN = LABEL.source.replace("^", "^label:");
const folder = shape<contract.FolderGrant>({ path: text, access: anyOfTexts(["read", "write"]) });

/** Agents, their tokens and messages, and toolboxes. */
export const agentAnswers = {
  AgentView: shape<contract.AgentView>(
    {
      id: text,
      name: text,
      description: text,
      parent: orNull(text),
      context: anyOfTexts(["main", "sub-agent", "scout"]),
      toolboxes: texts,
      grants: texts,
      folders: listOf(folder),
      pins: texts,
      model: orNull(text),
      headless: { ...yesNo, description: "What would ask a person is denied." },
      localModel: { ...yesNo, description: "Its model runs on this machine or near it." },
      coordinator: { ...yesNo, description: "It leads other agents." },
      toolCount: count,
      createdAt: time,
      updatedAt: time,
    },
    "Who calls tools; `toolCount` says how many it sees now.",
  ),
  AgentList: shape<contract.AgentList>({ agents: listOf(ref("AgentView")) }),
  AgentAnswer: shape<contract.AgentAnswer>(
    { agent: ref("AgentView"), ...unanswered },
    "`unknown`: names in its toolboxes and grants that nothing has. `unmatched`: patterns that match no tool yet.",
  ),
  ...accessAnswers,
  MessageList: shape<contract.MessageList>({
    messages: listOf(
      shape<contract.MessageView>({
        id: text,
        from: text,
        to: text,
        text,
        createdAt: time,
        readAt: orNull(time),
      }),
    ),
  }),

  TokenView: shape<contract.TokenView>(
    {
      id: text,
      kind: anyOfTexts(["agent", "admin"]),
      agent: orNull(text),
      label: text,
      hint: { type: "string", description: "The last four characters." },
      scopes: oneOf(listOf(oneOf(anyOfTexts(SCOPES), { type: "string", pattern: LABEL_PATTERN })), {
        type: "null",
        description: "Every scope of tools.",
      }),
      createdAt: time,
      expiresAt: orNull(time),
      lastUsedAt: orNull(time),
      client: oneOf(
        shape<NonNullable<contract.TokenView["client"]>>({ id: text, name: text, renewsUntil: time }),
        {
          type: "null",
          description: "A person made it.",
        },
      ),
      resource: oneOf({ type: "string", description: "The only path it opens." }, { type: "null" }),
      interactive: { ...yesNo, description: "Its client may approve single calls." },
      requestsPerMinute: orNull(count),
      role: oneOf(anyOfTexts(ROLES), { type: "null", description: "It is an agent's." }),
    },
    "A token without its value.",
  ),
  TokenList: shape<contract.TokenList>({ tokens: listOf(ref("TokenView")) }),
  TokenAnswer: shape<contract.TokenAnswer>({
    token: { type: "string", description: "Shown this once." },
    record: ref("TokenView"),
  }),

  ToolboxView: shape<contract.ToolboxView>(
    {
      name: text,
      description: text,
      tools: texts,
      builtin: yesNo,
      ...unanswered,
      planned,
      agents: texts,
      createdAt: time,
      updatedAt: time,
    },
    "A named allow-list of tools.",
  ),
  ToolboxList: shape<contract.ToolboxList>({ toolboxes: listOf(ref("ToolboxView")) }),
  ToolboxAnswer: shape<contract.ToolboxAnswer>({ toolbox: ref("ToolboxView") }),
};
