/** The shapes of custom tools: the record of one that a person enabled, what people send, what they get. */

import { z } from "zod";
import { anyObject, count, type Infer, text, time } from "../../contract/shape.ts";
import { toolFlags, toolStatus } from "../../contract/tool-shapes.ts";
import { LANGUAGES } from "./templates.ts";

/** A custom tool that a person enabled, with exactly this content. */
export const customTool = z.object({
  slug: z.string(),
  sha256: z.string().describe("Of every file in the folder."),
  /** The content of its `tool.json`, so that a process without the folder can still describe the tool. */
  manifest: anyObject,
  enabledBy: z.string(),
  enabledAt: time,
});
export type CustomToolRecord = Infer<typeof customTool>;

// Requests

export const newCustomTool = z.object({ name: text(200), language: z.enum(LANGUAGES).exactOptional() });
/** The hash that the person was shown, so that nothing else is enabled. */
export const customToolApproval = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
export const customToolTrial = z.object({ arguments: z.unknown().exactOptional() });

export type NewCustomTool = Infer<typeof newCustomTool>;
export type CustomToolApproval = Infer<typeof customToolApproval>;
export type CustomToolTrial = Infer<typeof customToolTrial>;

// Answers: explicit picks, so that nothing of a record slips out.

const names = z.array(z.string()).describe("Names of variables, never values.");

const customToolWants = z.object({
  description: z.string(),
  command: z
    .array(z.string())
    .nullable()
    .describe("What is run; null where the interpreter is missing on this machine."),
  flags: toolFlags,
  timeoutMs: count,
  maxOutputBytes: count,
  env: names,
  passEnv: names,
  secrets: z.array(z.string()).describe("Names of secrets."),
});

export const customToolView = z
  .object({
    slug: z.string(),
    name: z.string().describe("As agents call it."),
    folder: z.string(),
    status: toolStatus,
    sha256: z.string().nullable().describe("Of every file in the folder; null where it cannot be read."),
    files: z.array(z.object({ path: z.string(), bytes: count })),
    wants: customToolWants.nullable().describe("What it asks for; null where its tool.json cannot be used."),
    enabled: customTool
      .pick({ sha256: true, enabledBy: true, enabledAt: true })
      .nullable()
      .describe("The content that a person enabled last; null: none."),
  })
  .meta({ id: "CustomToolView" });
export type CustomToolView = Infer<typeof customToolView>;
export type CustomToolWants = Infer<typeof customToolWants>;

export const customToolList = z
  .object({
    tools: z.array(customToolView),
    problems: z.array(z.string()).describe("Folders that cannot be a tool, and why."),
  })
  .meta({ id: "CustomToolList" });
export const customToolAnswer = z.object({ tool: customToolView }).meta({ id: "CustomToolAnswer" });
export const customToolRemoved = z
  .object({
    done: z.literal(true),
    folder: z.string().nullable().describe("Where its folder was put; null: it had none."),
  })
  .meta({ id: "CustomToolRemoved" });

export type CustomToolList = Infer<typeof customToolList>;
export type CustomToolAnswer = Infer<typeof customToolAnswer>;
export type CustomToolRemoved = Infer<typeof customToolRemoved>;
