/**
 * The shapes of tools and their calls in answers. The types are those of `tool.ts`, which the path of a call loads
 * without zod.
 */

import { z } from "zod";
import { SCOPES } from "./caller.ts";
import { anyObject, count, type Infer, optional } from "./shape.ts";
import { DOMAINS, OUTCOMES, type ToolFlags, type ToolOutcome, type ToolStatus } from "./tool.ts";

export const toolFlags: z.ZodType<ToolFlags> = z.object({
  readOnly: z.boolean(),
  concurrencySafe: z.boolean(),
  destructive: z.boolean(),
});

export const toolStatus: z.ZodType<ToolStatus> = z.union([
  z.object({ kind: z.literal("active") }),
  z.object({
    kind: z.enum(["disabled", "pending_approval", "unavailable", "planned"]),
    reason: z.string(),
  }),
]);

/** A problem in a tool's own description that people should look at. */
export const finding = z
  .object({
    kind: z.enum([
      "addresses_model",
      "names_others",
      "asks_for_secrets",
      "hides_text",
      "imitates_host",
      "holds_credentials",
    ]),
    field: z
      .string()
      .describe("The path of the text: `description`, `inputSchema.properties.path.description` …"),
    excerpt: z.string().describe("The surrounding words on one line, with hidden characters made visible."),
  })
  .meta({ id: "Finding" });
export type Finding = Infer<typeof finding>;

/** A tool as people see it. */
export const toolView = z.object({
  name: z.string(),
  ownName: z.string(),
  title: z.string().exactOptional(),
  description: z.string(),
  origin: z
    .string()
    .describe("`native`, `platform`, `custom`, `plugin:` with its plugin, or `mcp:` with its server."),
  scope: z.enum(SCOPES),
  availability: z.enum(["main", "sub-agent", "both"]),
  floor: z.boolean(),
  flags: toolFlags,
  status: toolStatus,
});
export type ToolView = Infer<typeof toolView>;

/** Properties that lists and details share. */
export const toolTokens = count.describe("About how many tokens it takes in the list of a model.");
export const untrustedTool = z.boolean().describe("It comes from an untrusted server.");

/** A tool in a list. */
export const listedTool = toolView
  .extend({
    domain: z.enum(DOMAINS).describe("What it is about, for tools that come with Toolkeep.").exactOptional(),
    tokens: toolTokens,
    untrusted: untrustedTool,
  })
  .meta({ id: "ListedTool" });
export type ListedTool = Infer<typeof listedTool>;

export const toolOutcome = z
  .object({
    callId: z.string(),
    outcome: z.enum(OUTCOMES),
    tool: z.string().exactOptional(),
    content: z.array(anyObject).describe("Blocks of MCP content."),
    structured: anyObject.exactOptional(),
    structuredValue: z
      .unknown()
      .describe("In the place of structured, where the result is no object.")
      .exactOptional(),
    meta: anyObject.exactOptional(),
    text: z.string().describe("What a model reads."),
    error: z
      .object({ message: z.string(), ...optional({ remedy: z.string(), details: anyObject }) })
      .describe("There unless the outcome is ok.")
      .exactOptional(),
    fault: z
      .object({ code: z.int(), message: z.string(), data: z.unknown().exactOptional() })
      .exactOptional(),
    asked: z
      .object({
        inquiries: anyObject,
        ...optional({ state: z.string(), approved: z.string(), approval: z.string() }),
      })
      .exactOptional(),
    task: anyObject.describe("Work that goes on after the call, as MCP tasks have it.").exactOptional(),
    durationMs: count,
    truncated: z.boolean(),
    fullOutput: z
      .object({ id: z.string(), chars: count, bytes: count })
      .describe("The whole text of an output that was cut, for read_tool_output.")
      .exactOptional(),
  })
  .meta({ id: "ToolOutcome", description: "How a call ended." }) as unknown as z.ZodType<ToolOutcome>;
