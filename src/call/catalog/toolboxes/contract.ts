/** The shapes of toolboxes: the record, what people send, what they get. */

import { z } from "zod";
import { type Infer, longText, names, optional, text, time } from "../../../contract/shape.ts";
import { since, unresolvedGrants } from "../../identity/contract.ts";

/** A named allow-list of tools. */
export const toolbox = z.object({
  name: z.string(),
  description: z.string(),
  /** Names of tools, patterns for tools, or `*`. */
  tools: z.array(z.string()),
  builtin: z.boolean(),
  createdAt: time,
  updatedAt: time,
});
export type ToolboxRecord = Infer<typeof toolbox>;

// Requests

const fields = { description: longText, tools: names };
const allowUnknown = z
  .boolean()
  .describe("False: a name that is new in the toolbox and that no tool has is refused. Default true.");
export const toolboxInput = z.object(optional(fields));
export const newToolbox = z.object({
  name: text(200),
  tools: names,
  ...optional({ description: longText, allowUnknown }),
});
export const toolboxChangeInput = z.object(optional({ ...fields, allowUnknown, since }));

export type ToolboxInput = Infer<typeof toolboxInput>;
export type NewToolbox = Infer<typeof newToolbox>;
export type ToolboxChangeInput = Infer<typeof toolboxChangeInput>;

// Answers

export const planned = z.array(z.string()).describe("Names of tools that are not available yet.");

export const toolboxView = toolbox
  .pick({ name: true, description: true, tools: true, builtin: true, createdAt: true, updatedAt: true })
  .extend({
    // Names without a tool are kept, because the tool may come (back), and always reported.
    ...unresolvedGrants.shape,
    planned,
    agents: z.array(z.string()).describe("The names of the agents that have it."),
  })
  .meta({ id: "ToolboxView", description: "A named allow-list of tools." });
export const toolboxList = z.object({ toolboxes: z.array(toolboxView) }).meta({ id: "ToolboxList" });
export const toolboxAnswer = z.object({ toolbox: toolboxView }).meta({ id: "ToolboxAnswer" });

export type ToolboxView = Infer<typeof toolboxView>;
export type ToolboxList = Infer<typeof toolboxList>;
export type ToolboxAnswer = Infer<typeof toolboxAnswer>;
