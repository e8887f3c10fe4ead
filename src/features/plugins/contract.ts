/** The shapes of plugins: the record of one that was added, what people send, what they get. */

import { z } from "zod";
import { anyObject, count, type Infer, text, time } from "../../contract/shape.ts";
import { toolStatus } from "../../contract/tool-shapes.ts";

const texts = z.array(z.string());

export const pluginSource = z.object({
  kind: z.enum(["folder", "link", "npm"]).describe("`link`: the folder itself is used instead of a copy."),
  spec: z
    .string()
    .describe("An absolute path on the daemon's machine, or a package of an npm registry: name@1.2.3."),
});
export type PluginSource = Infer<typeof pluginSource>;

/** The permissions that a plugin declares. It gets no others. */
const pluginPermissions = z.object({
  network: z.union([z.boolean(), texts]).describe("Hosts it may reach; true: any, false: none."),
  files: z.enum(["none", "read", "write"]).describe("Access to the workspace of the calling agent."),
  env: texts.describe("Variables of the daemon's environment."),
  secrets: texts.describe("Secrets of the vault."),
  childProcesses: z.boolean().describe("Whether it may start other programs."),
});
export type PluginPermissions = Infer<typeof pluginPermissions>;

export const plugin = z.object({
  name: z.string(),
  packageName: z.string(),
  version: z.string(),
  description: z.string(),
  source: pluginSource,
  /** The hash of all files, as they were installed or last enabled. */
  sha256: z.string(),
  /** A `PluginPermissions`; what an older version did not know is missing. */
  permissions: anyObject,
  enabled: z.boolean(),
  /** The agreement of the person who last enabled it; null: nobody has. */
  agreed: z.object({ sha256: z.string(), permissions: anyObject, trusted: z.boolean(), at: time }).nullable(),
  /** The tools that the plugin described when it was last enabled (`StoredTool`). */
  tools: z.array(anyObject),
  createdAt: time,
  updatedAt: time,
});
export type PluginRecord = Infer<typeof plugin>;

// Requests

export const newPlugin = z.object({
  kind: pluginSource.shape.kind,
  spec: text(4_096),
  name: text(200).exactOptional(),
});
/** Agrees to exactly the files that were shown with this hash. */
export const pluginAgreement = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  trusted: z.boolean().describe("Whether tool flags that loosen checks are trusted.").exactOptional(),
});

export type NewPlugin = Infer<typeof newPlugin>;
export type PluginAgreement = Infer<typeof pluginAgreement>;

// Answers: explicit picks, so that nothing of a record slips out.

const announcedTool = z.object({ name: z.string(), description: z.string() });
const pluginToolView = z.object({
  name: z.string().describe("The name that agents use."),
  ownName: z.string(),
  description: z.string(),
});
const pluginLogLine = z.object({ at: time, text: z.string() });

export const pluginView = z
  .object({
    ...plugin.pick({ name: true, packageName: true, version: true, description: true, source: true }).shape,
    folder: z.string().describe("Where its files are on this machine."),
    sha256: z.string().nullable().describe("Of every file, as they are now; null: they cannot be used here."),
    status: toolStatus,
    enabled: z.boolean().describe("What a person chose last; status says whether it is in effect."),
    trusted: z.boolean().describe("Whether tool flags that loosen checks are trusted."),
    permissions: pluginPermissions,
    may: texts.describe("The permissions in words, one per entry."),
    mayAlso: texts.describe("Permissions added since somebody last agreed."),
    notEnforced: texts.describe("Declared limits that this machine cannot enforce, and why."),
    missingSecrets: texts.describe("Declared secrets that are not set."),
    announced: z
      .array(announcedTool)
      .describe("The tools listed in its package.json, known before any of its code runs."),
    tools: z.array(pluginToolView).describe("The tools found when it was last enabled."),
    warnings: texts.describe("Why tools were left out when this process last enabled it."),
    processes: count,
    enabledAt: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "PluginView", description: "A package that brings tools, with its current files." });
export const pluginList = z.object({ plugins: z.array(pluginView) }).meta({ id: "PluginList" });
export const pluginAnswer = z
  .object({
    plugin: pluginView,
    log: z.array(pluginLogLine).describe("What it printed and what happened to its processes, oldest first."),
  })
  .meta({ id: "PluginAnswer" });

export type AnnouncedTool = Infer<typeof announcedTool>;
export type PluginToolView = Infer<typeof pluginToolView>;
export type PluginLogLine = Infer<typeof pluginLogLine>;
export type PluginView = Infer<typeof pluginView>;
export type PluginList = Infer<typeof pluginList>;
export type PluginAnswer = Infer<typeof pluginAnswer>;
