import type * as contract from "../contract.ts";
import { anyOfTexts, count, listOf, optional, orNull, ref, shape, text, texts, yesNo } from "./shape.ts";
import { listedToolFields } from "./tools.ts";

export const unanswered = { unknown: texts, unmatched: texts };
export const planned = { ...texts, description: "Names of tools that are not available yet." };

const hidden = listOf(
  shape<contract.HiddenTool>({ name: text, rule: text }, "Given, and denied outright by a rule."),
);
const cost = shape<contract.ListCost>(
  { listed: count, listedTokens: count, deferred: count, wholeTokens: count, keptTokens: count },
  "What the list that a conversation begins with takes, in tokens; about.",
);
const changedTools = listOf(shape<contract.ChangedTool>({ name: text, origin: text, grantedBy: texts }));
const contents = {
  tools: listOf(
    shape<contract.ToolboxTool>({
      ...listedToolFields,
      entry: { type: "string", description: "What of the toolbox gives it." },
    }),
  ),
  planned,
  tokens: count,
  ...unanswered,
};

/** What agents and toolboxes come to, and what would change. */
export const accessAnswers = {
  AgentTools: shape<contract.AgentTools>({
    agent: text,
    tools: listOf(shape<contract.AgentTool>({ ...listedToolFields, grantedBy: texts, deferred: yesNo })),
    hidden,
    cost,
    planned,
    ...unanswered,
  }),
  ToolboxTools: shape<contract.ToolboxTools>({ toolbox: text, ...contents }),
  AccessPreview: shape<contract.AccessPreview>({
    agents: listOf(
      shape<contract.AgentChange>({
        agent: text,
        added: changedTools,
        removed: changedTools,
        hidden,
        before: cost,
        after: cost,
        ...unanswered,
      }),
    ),
    toolbox: optional(shape<contract.ToolboxContents>(contents)),
  }),
  SnippetList: shape<contract.SnippetList>({
    snippets: listOf(ref("ClientSnippet")),
    placeholder: { type: "string", description: "Stands in the texts where the token belongs." },
  }),
  ClientSnippet: shape<contract.ClientSnippet>({
    client: text,
    title: text,
    file: orNull(text),
    language: anyOfTexts(["json", "toml", "shell", "text"]),
    text,
    next: text,
  }),
};
