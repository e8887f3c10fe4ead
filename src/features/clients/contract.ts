/** The shapes of importing the servers of other programs, and of connecting these to Toolkeep. */

import { z } from "zod";
import { anyObject, count, type Infer, optional, text } from "../../contract/shape.ts";
import { type ServerInput, serverReach, serverView } from "../../servers/contract.ts";

const texts = z.array(z.string());
const names = z.array(text(200)).max(2_000);

// Requests

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const parts = z.array(z.string().max(4_200)).max(2_000);
/** Recognises a server again after the values of its variables changed. Contains no values. */
const looseIdentity = z.strictObject({
  references: parts.describe(
    "The parts that contain references: `env.KEY`, `headers.KEY`, `args.N`, `url` …",
  ),
  optional: parts.describe("Parts that exist only while a variable is set."),
  digest: digest.describe("Of everything except these parts."),
  keysDigest: digest.describe("The same without the values of env and headers."),
  isWhole: z.boolean().describe("Every reference has a value."),
});
export type LooseIdentity = Infer<typeof looseIdentity>;

/** A discovered server, as far as planning needs it. */
const importCandidate = z.strictObject({
  // Clients allow longer names than Toolkeep; they are shortened.
  name: z.string().max(1_000),
  clients: names.max(100).describe("Every client that has it."),
  digests: z
    .array(digest)
    .max(100)
    .describe("Of the server with its values, and of the unexpanded entry if it differs."),
  ...optional({
    loose: looseIdentity,
    skipped: z.string().max(4_096).nullable().describe("Why it cannot be registered; null if it can."),
  }),
});
const milliseconds = z.int().min(1).max(600_000);
/** The fields that an import sets; those of `oauth` are checked when the server is registered. */
const importFields = optional({
  ...serverReach,
  oauth: anyObject.nullable() as unknown as z.ZodType<NonNullable<ServerInput["oauth"]> | null>,
  enabled: z.boolean(),
  timeoutMs: milliseconds,
  connectTimeoutMs: milliseconds,
});
const importServer = importCandidate.extend(importFields);
const cwd = text(4_096).describe("A project, whose settings are read, too; default: the user's home.");
const pasted = text(500_000).describe(
  "JSON, TOML, a command or an address: the settings of any client, or the part that READMEs show.",
);

export const importQuery = z.object(optional({ cwd }));
export const pastedServers = z.object({ text: pasted });
/** About servers that were found elsewhere. */
export const importQuestion = z.object({ servers: z.array(importCandidate).max(1_000) });
/** `servers`, or those that get these `names`: of `text`, else of the clients on the daemon's machine. */
export const newImport = z.object(
  optional({
    servers: z.array(importServer).max(1_000),
    names,
    text: pasted,
    cwd,
    wait: z.boolean().describe("The answer comes after the first attempt to list their tools."),
  }),
);
export type ImportCandidate = Infer<typeof importCandidate>;
export type ImportFields = Omit<ImportServer, keyof ImportCandidate>;
export type ImportServer = Infer<typeof importServer>;
export type PastedServers = Infer<typeof pastedServers>;
export type ImportQuestion = Infer<typeof importQuestion>;
export type NewImport = Infer<typeof newImport>;

export const snippetQuery = z.object(optional({ toolbox: text(200) }));

// Answers

/** The outcome of importing a server. `name` is its current or future name in Toolkeep. */
const importVerdict = z
  .union([
    z.object({ kind: z.literal("new"), name: z.string() }),
    z.object({ kind: z.literal("renamed"), name: z.string(), why: z.enum(["taken", "not allowed"]) }),
    z.object({
      kind: z.literal("same"),
      name: z.string(),
      ...optional({
        lacks: texts.describe("Parts that have a value neither here nor in the registered server."),
        otherValues: z
          .literal(true)
          .describe("Literal values in the client's settings differ from the registered ones."),
      }),
    }),
    z
      .object({ kind: z.literal("completed"), name: z.string() })
      .describe("It was registered without the values of its variables, which are set now."),
    z.object({ kind: z.literal("skipped"), reason: z.string() }),
  ])
  .meta({ id: "ImportVerdict" });
export type ImportVerdict = Infer<typeof importVerdict>;

/** A discovered server and what the import will do with it. Contains keys of env and headers, never values. */
const importPreviewServer = z.object({
  name: z.string(),
  clients: texts,
  files: texts,
  project: z
    .string()
    .nullable()
    .describe("Set if only the settings of this project contain it: somebody else may have written them."),
  reach: z.string(),
  envKeys: texts,
  headerKeys: texts,
  enabled: z.boolean().describe("It will be enabled."),
  missing: texts.describe("References to variables that are not set."),
  missingIn: texts.describe(
    "The parts with these references: `env.KEY`, `headers.KEY`, `args.N`, `command`, `url`, `cwd`.",
  ),
  notes: texts,
  verdict: importVerdict,
});
const importedFile = z.object({
  client: z.string(),
  path: z.string(),
  servers: count,
  problem: z.string().nullable().describe("Why it could not be read, with the line; null if it was read."),
});
export const importPreview = z
  .object({
    servers: z.array(importPreviewServer),
    files: z.array(importedFile).describe("The settings files that exist."),
  })
  .meta({ id: "ImportPreview" });
export const importVerdicts = z
  .object({ verdicts: z.array(importVerdict).describe("One for each server asked about, in their order.") })
  .meta({ id: "ImportVerdicts" });
const importResult = z.object({
  verdict: importVerdict,
  server: serverView.nullable(),
  error: z.string().nullable().describe("Why it could not be registered."),
});
export const importAnswer = z.object({ results: z.array(importResult) }).meta({ id: "ImportAnswer" });
export type ImportPreviewServer = Infer<typeof importPreviewServer>;
export type ImportedFile = Infer<typeof importedFile>;
export type ImportPreview = Infer<typeof importPreview>;
export type ImportVerdicts = Infer<typeof importVerdicts>;
export type ImportResult = Infer<typeof importResult>;
export type ImportAnswer = Infer<typeof importAnswer>;

/** The text that connects one client to Toolkeep. */
const clientSnippet = z
  .object({
    client: z.string(),
    title: z.string(),
    file: z.string().nullable().describe("The file it belongs in; null for a command or an unknown client."),
    language: z.enum(["json", "toml", "shell", "text"]),
    text: z.string(),
    next: z.string().describe("What to do afterwards."),
  })
  .meta({ id: "ClientSnippet" });
export const snippetList = z
  .object({
    snippets: z.array(clientSnippet),
    placeholder: z.string().describe("Stands in the texts where the token belongs."),
  })
  .meta({ id: "SnippetList" });
export type ClientSnippet = Infer<typeof clientSnippet>;
export type SnippetList = Infer<typeof snippetList>;
