/** The shapes of what agents and toolboxes come to: which tools, through which grants, at what cost. */

import { z } from "zod";
import { count, type Infer, optional, text } from "../../contract/shape.ts";
import { listedTool } from "../../contract/tool-shapes.ts";
import { planned } from "../catalog/toolboxes/contract.ts";
import { newAgent, unresolvedGrants } from "../identity/contract.ts";

// Requests

/** A change that nobody has made. */
export const accessChange = z.object(
  optional({
    agent: newAgent
      .strict()
      .describe(
        "An agent as it would be; what is not given stays. One that does not exist would be created.",
      ),
    toolbox: z
      .strictObject({ name: text(200), tools: z.array(text(200)).max(5_000).nullable() })
      .describe("A toolbox as it would be; without tools it would be deleted."),
  }),
);
export type AccessChange = Infer<typeof accessChange>;

// Answers

const grantedBy = z
  .array(z.string())
  .describe("`floor`, `grant` or `toolbox NAME`; with the pattern in brackets if one covers the tool.");

const hiddenTool = z
  .object({ name: z.string(), rule: z.string() })
  .describe("A tool that is granted, but denied outright by a rule.");
const listCost = z
  .object({
    listed: count.describe("How many tools are in the list."),
    listedTokens: count,
    deferred: count.describe("How many tools are left to `tool_search`."),
    wholeTokens: count.describe("What a list of all of them would take."),
    keptTokens: count.describe("What the shorter list saves in each prompt."),
  })
  .describe("About how many tokens the list takes that a conversation begins with.");
const agentTool = listedTool.extend({
  grantedBy,
  deferred: z.boolean().describe("Its lists leave it to `tool_search`."),
});
export const agentTools = unresolvedGrants
  .extend({
    agent: z.string(),
    tools: z.array(agentTool),
    hidden: z.array(hiddenTool),
    cost: listCost,
    planned,
  })
  .meta({ id: "AgentTools" });

const toolboxTool = listedTool.extend({
  entry: z.string().describe("The entry of the toolbox that grants it: its name, a pattern or `*`."),
});
const toolboxContents = unresolvedGrants.extend({
  tools: z.array(toolboxTool),
  planned,
  tokens: count.describe("What a list of all of them would take."),
});
export const toolboxTools = toolboxContents.extend({ toolbox: z.string() }).meta({ id: "ToolboxTools" });

const changedTool = z.object({ name: z.string(), origin: z.string(), grantedBy });
const agentChange = unresolvedGrants.extend({
  agent: z.string(),
  added: z.array(changedTool),
  removed: z.array(changedTool),
  hidden: z.array(hiddenTool),
  before: listCost,
  after: listCost,
});
export const accessPreview = z
  .object({
    agents: z.array(agentChange).describe("The named agent, and those for which something would change."),
    toolbox: toolboxContents.describe("What the named toolbox would grant.").exactOptional(),
  })
  .meta({ id: "AccessPreview" });

export type HiddenTool = Infer<typeof hiddenTool>;
export type ListCost = Infer<typeof listCost>;
export type AgentTool = Infer<typeof agentTool>;
export type AgentTools = Infer<typeof agentTools>;
export type ToolboxTool = Infer<typeof toolboxTool>;
export type ToolboxContents = Infer<typeof toolboxContents>;
export type ToolboxTools = Infer<typeof toolboxTools>;
export type ChangedTool = Infer<typeof changedTool>;
export type AgentChange = Infer<typeof agentChange>;
export type AccessPreview = Infer<typeof accessPreview>;
