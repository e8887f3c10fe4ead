/** The shapes of what people see and decide about what servers publish. */

import { z } from "zod";
import { type Infer, optional, time } from "../../contract/shape.ts";
import { finding } from "../../contract/tool-shapes.ts";
import { PIN_KINDS } from "../records.ts";

// Requests

const decision = {
  names: z
    .array(z.string().max(256))
    .max(1_000)
    .describe("Names at the server or for agents; absent: everything that waits."),
  seen: z.string().max(64).describe("The version of the changes that the person looked at."),
};
/** Nobody accepts what they have not seen; what is kept out does no harm. */
export const acceptance = z.object({ seen: decision.seen, ...optional({ names: decision.names }) });
export const rejection = z.object(optional(decision));
export type ServerDecision = Infer<typeof rejection>;

// Answers

/** One difference between the accepted and the published definition, with hidden characters made visible. */
const fieldChange = z.object({
  path: z.string().describe("`description`, `inputSchema.properties.path.type` …"),
  change: z.enum(["added", "removed", "changed"]),
  ...optional({
    before: z.string(),
    after: z.string(),
    lines: z
      .array(z.object({ kind: z.enum(["same", "removed", "added"]), text: z.string() }))
      .describe("Only for texts of more than one line."),
  }),
});
/** A held definition. */
const serverChangeView = z.object({
  kind: z.enum(PIN_KINDS),
  name: z.string().describe("The server's own name for it, with hidden characters made visible."),
  tool: z.string().describe("The tool's name for agents; absent if it is not a tool.").exactOptional(),
  what: z.enum(["new", "changed"]),
  state: z.enum(["waiting", "rejected"]),
  since: time,
  fields: z.array(fieldChange),
  findings: z.array(finding),
});
export const serverChanges = z
  .object({
    version: z.string().describe("What was looked at, for accepting and rejecting."),
    changes: z.array(serverChangeView),
  })
  .meta({ id: "ServerChanges" });
export type FieldChange = Infer<typeof fieldChange>;
export type ServerChangeView = Infer<typeof serverChangeView>;
export type ServerChanges = Infer<typeof serverChanges>;

const toolFindings = z.object({ tool: z.string(), findings: z.array(finding) });
export const serverFindings = z.object({ tools: z.array(toolFindings) }).meta({ id: "ServerFindings" });
export type ToolFindings = Infer<typeof toolFindings>;
export type ServerFindings = Infer<typeof serverFindings>;
