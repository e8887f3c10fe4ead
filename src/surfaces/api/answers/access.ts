import type * as contract from "../contract.ts";
import * as s from "./shape.ts";
import { listedToolFields } from "./tools.ts";

export const unanswered = { unknown: s.texts, unmatched: s.texts };
export const planned = { ...s.texts, description: "Names of tools that are not available yet." };

const hidden = s.listOf(
  s.shape<contract.HiddenTool>({ name: s.text, rule: s.text }, "Given, and denied outright by a rule."),
);
const cost = s.shape<contract.ListCost>(
  { listed: s.count, listedTokens: s.count, deferred: s.count, wholeTokens: s.count, keptTokens: s.count },
  "What the list that a conversation begins with takes, in tokens; about.",
);
const changedTools = s.listOf(
  s.shape<contract.ChangedTool>({ name: s.text, origin: s.text, grantedBy: s.texts }),
);
const contents = {
  tools: s.listOf(
    s.shape<contract.ToolboxTool>({
      ...listedToolFields,
      entry: { type: "string", description: "What of the toolbox gives it." },
    }),
  ),
  planned,
  tokens: s.count,
  ...unanswered,
};

/** What agents and toolboxes come to, and what would change. */
export const accessAnswers = {
  AgentTools: s.shape<contract.AgentTools>({
    agent: s.text,
    tools: s.listOf(
      s.shape<contract.AgentTool>({ ...listedToolFields, grantedBy: s.texts, deferred: s.yesNo }),
    ),
    hidden,
    cost,
    planned,
    ...unanswered,
  }),
  ToolboxTools: s.shape<contract.ToolboxTools>({ toolbox: s.text, ...contents }),
  AccessPreview: s.shape<contract.AccessPreview>({
    agents: s.listOf(
      s.shape<contract.AgentChange>({
        agent: s.text,
        added: changedTools,
        removed: changedTools,
        hidden,
        before: cost,
        after: cost,
        ...unanswered,
      }),
    ),
    toolbox: s.optional(s.shape<contract.ToolboxContents>(contents)),
  }),
  SnippetList: s.shape<contract.SnippetList>({
    snippets: s.listOf(s.ref("ClientSnippet")),
    placeholder: { type: "string", description: "Stands in the texts where the token belongs." },
  }),
  ClientSnippet: s.shape<contract.ClientSnippet>({
    client: s.text,
    title: s.text,
    file: s.orNull(s.text),
    language: s.anyOfTexts(["json", "toml", "shell", "text"]),
    text: s.text,
    next: s.text,
  }),
};
