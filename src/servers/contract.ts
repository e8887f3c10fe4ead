/** The shapes of MCP servers: what people send to register, change and test them, and what they get. */

import { z } from "zod";
import { anyObject, count, type Infer, optional, text, time } from "../contract/shape.ts";

const transport = z.enum(["stdio", "http", "sse"]);
const connect = z.enum(["lazy", "eager"]);
const retry = z.enum(["safe", "never", "once"]);
const grant = z.enum(["authorization_code", "client_credentials"]);
const sandboxMode = z.enum(["off", "auto", "required"]);
const texts = z.array(z.string());

// Requests. They bound sizes; the configuration's own check says which values are allowed.

const path = z.string().max(4_096).nullable();
const args = z.array(z.string().max(65_536)).max(1_000);
const values = z.record(z.string(), z.string().max(65_536)).meta({ maxProperties: 200 });
const wholeNumber = z.int().nullable();

/** How a server is reached. */
export const serverReach = {
  transport,
  command: path,
  args,
  env: values,
  cwd: path,
  url: path,
  headers: values,
};

const privateKey = {
  privateKey: z.string().max(65_536).nullable(),
  privateKeyAlgorithm: z.string().max(10).nullable(),
};
const oauthInput = z.strictObject(
  optional({
    grant,
    clientId: path,
    clientSecret: path,
    ...privateKey,
    clientMetadataUrl: path,
    scope: path,
  }),
);
const tlsInput = z.strictObject(optional({ cert: path, key: path, ca: path }));
const paths = z.array(z.string().max(4_096)).max(100);
const sandboxParts = z.strictObject(
  optional({
    mode: sandboxMode,
    network: z.boolean(),
    read: paths,
    write: paths,
    memoryMb: wholeNumber,
    processes: wholeNumber,
    cpuSecs: wholeNumber,
    fileMb: wholeNumber,
  }),
);
/** The whole of it or parts; `true` is `required`, `false` and null are off, a word is the mode. */
const sandboxInput = <Parts extends z.ZodObject>(parts: Parts) =>
  z.union([parts, z.boolean(), z.string().max(10) as unknown as typeof sandboxMode, z.null()]);

/** The fields that a person enters to register or change a server; absent fields get their defaults or stay as they are. */
const serverInput = z.object(
  optional({
    ...serverReach,
    oauth: oauthInput.nullable(),
    tls: tlsInput.nullable(),
    sandbox: sandboxInput(sandboxParts),
    enabled: z.boolean(),
    connect,
    keepAlive: z.boolean(),
    timeoutMs: wholeNumber,
    progressExtendsTimeout: z.boolean(),
    connectTimeoutMs: z.int(),
    retry,
    trusted: z.boolean(),
    pin: z.boolean().nullable(),
    maxConcurrency: z.int(),
  }),
);
export type ServerInput = Infer<typeof serverInput>;

export const newServer = serverInput.extend({
  name: text(200),
  wait: z.boolean().describe("The answer comes after the first attempt to list the tools.").exactOptional(),
});
export const serverChange = serverInput.extend(
  optional({
    name: text(200),
    prefix: text(200).describe(
      "Names its tools anew; refused with IN_USE where something lists them by their names.",
    ),
  }),
);
/** Names the version that the person looked at, so that nothing else is approved. */
export const serverApproval = z.object(optional({ changedAt: z.int().describe("Of the server's view.") }));
export const logQuery = z.object(optional({ since: count, lines: count }));
/** With `stream` the answer is a line of JSON for each step as it begins, and one with the report. */
export const testQuery = z.object(optional({ stream: z.boolean() }));

const word = z.string().max(200).nullable();
const yesOrNo = z.boolean().nullable();
const number = z.number().nullable();
/** One `[[mcp.servers]]` entry, not registered. Its keys may be those of the API or those of settings files. */
export const serverTest = z.object(
  optional({
    name: text(200),
    ...serverReach,
    transport: word,
    type: word,
    command: z.union([z.string().max(4_096), args, z.null()]),
    args: args.nullable(),
    env: values.nullable(),
    headers: values.nullable(),
    oauth: oauthInput
      .extend(
        optional({
          client_id: path,
          client_secret: path,
          private_key: privateKey.privateKey,
          private_key_algorithm: privateKey.privateKeyAlgorithm,
          client_metadata_url: path,
        }),
      )
      .nullable(),
    tls: tlsInput.nullable(),
    sandbox: sandboxInput(
      sandboxParts.extend(optional({ memory_mb: wholeNumber, cpu_secs: wholeNumber, file_mb: wholeNumber })),
    ),
    enabled: yesOrNo,
    disabled: yesOrNo,
    connect: word,
    keep_alive: yesOrNo,
    tool_timeout_secs: number,
    progress_extends_timeout: yesOrNo,
    connect_timeout_ms: number,
    retry: word,
    trusted: yesOrNo,
    pin: yesOrNo,
    max_concurrency: number,
    timeout_ms: number.describe("How long the test may take; raised to 1000, and at most 10,000."),
  }),
);

export type NewServer = Infer<typeof newServer>;
export type ServerChange = Infer<typeof serverChange>;
export type ServerApproval = Infer<typeof serverApproval>;
export type ServerTest = Infer<typeof serverTest>;

// Answers

export const serverState = z.enum([
  "idle",
  "connecting",
  "ready",
  "unavailable",
  "needs_auth",
  "disabled",
  "pending_approval",
  "closed",
]);
export type ServerState = Infer<typeof serverState>;

export const serverView = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    source: z.enum(["stored", "user", "project"]),
    state: serverState,
    enabled: z.boolean(),
    trusted: z.boolean(),
    pinned: z.boolean().describe("New and changed tools wait for a person."),
    waiting: count.describe("How many definitions wait to be accepted or rejected."),
    transport,
    command: z.string().nullable(),
    args: texts,
    cwd: z.string().nullable(),
    url: z.string().nullable(),
    envKeys: texts,
    headerKeys: texts,
    secrets: texts.describe("The secrets of the vault that its variables and headers name."),
    oauth: z
      .object({
        grant,
        clientId: z.string().nullable(),
        clientMetadataUrl: z.string().nullable(),
        scope: z.string().nullable(),
        hasSecret: z.boolean(),
        hasPrivateKey: z.boolean(),
      })
      .nullable(),
    tls: z
      .object({ cert: z.string().nullable(), key: z.string().nullable(), ca: z.string().nullable() })
      .nullable(),
    timeoutMs: count,
    progressExtendsTimeout: z.boolean(),
    connectTimeoutMs: count,
    connect,
    keepAlive: z.boolean(),
    retry,
    maxConcurrency: count,
    sandbox: z
      .object({
        mode: sandboxMode,
        network: z.boolean(),
        read: texts,
        write: texts,
        memoryMb: count.nullable(),
        processes: count.nullable(),
        cpuSecs: count.nullable(),
        fileMb: count.nullable(),
        problem: z
          .string()
          .nullable()
          .describe("Why the sandbox is not in force; null if it is, or if that is not known yet."),
      })
      .nullable()
      .describe("Null if it is not confined."),
    toolCount: count,
    leftOut: z
      .array(z.object({ name: z.string().nullable(), reason: z.string() }))
      .describe("Tools of its last list that nobody can use, at most 50."),
    era: z.object({ era: z.enum(["legacy", "modern"]), version: z.string(), at: time }).nullable(),
    instructions: z.string().nullable(),
    addedBy: z.string().nullable(),
    listedAt: time.nullable(),
    lastError: z.string().nullable(),
    failedAt: z
      .int()
      .nullable()
      .describe("When the last attempt to reach it failed; null once one has worked."),
    changedAt: time.describe("Changes with every edit: the version that a person looked at who approves."),
  })
  .meta({
    id: "ServerView",
    description: "An MCP server behind Toolkeep. Of env and headers only the keys are shown, never a value.",
  });
export type ServerView = Infer<typeof serverView>;

export const serverList = z.object({ servers: z.array(serverView) }).meta({ id: "ServerList" });
export const serverAnswer = z
  .object({
    server: serverView,
    tools: texts.describe("Names as agents see them, from the last list."),
    replaced: z
      .string()
      .describe("Why the server that had the name never worked, where this one replaced it.")
      .exactOptional(),
  })
  .meta({ id: "ServerAnswer" });
export const serverOffers = z
  .object({
    instructions: z.string().nullable(),
    resources: z.array(anyObject),
    resourceTemplates: z.array(anyObject),
    prompts: z.array(anyObject),
  })
  .meta({ id: "ServerOffers", description: "What it offered last beside its tools, as it published it." });
export type ServerList = Infer<typeof serverList>;
export type ServerAnswer = Infer<typeof serverAnswer>;
export type ServerOffers = Infer<typeof serverOffers>;

/** One line of a server's log: its own output beside its answers, or a change of its state. */
const serverLogEntry = z.object({
  seq: count.describe("Increases; unique within one server."),
  at: time,
  kind: z
    .enum(["stderr", "message", "junk", "state"])
    .describe("`message`: MCP logging. `junk`: stdout that is no message. `state`: written by Toolkeep."),
  level: z.string().describe("The log level of a `message`.").exactOptional(),
  text: z.string(),
  count: count.describe("The number of consecutive junk lines; `text` is the last one.").exactOptional(),
});
export const serverLogPage = z
  .object({
    entries: z.array(serverLogEntry),
    cursor: count.describe("Pass it as `since` to get later entries."),
    junkLines: count.describe("The total since the daemon started, including lines no longer kept."),
  })
  .meta({ id: "ServerLogPage" });
export type ServerLogEntry = Infer<typeof serverLogEntry>;
export type ServerLogPage = Infer<typeof serverLogPage>;

export const testReport = z
  .union([
    z.object({
      ok: z.literal(true),
      tool_count: count,
      tools: texts,
      latency_ms: count,
      warning: z.string().describe("A problem despite success: the server is not confined.").exactOptional(),
    }),
    z.object({ ok: z.literal(false), error: z.string(), latency_ms: count }),
  ])
  .meta({ id: "TestReport" });
export type TestReport = Infer<typeof testReport>;

/**
 * The steps of connecting, in this order: fill in secrets and settings; authenticate (HTTP only); agree on a protocol
 * version; list the tools. A second attempt starts over.
 */
export type ConnectStep = "resolve" | "authenticate" | "handshake" | "list";

/** A line of what the tests of servers answer with `?stream=true`: a step that begins, or at the end the report. */
export type TestLine =
  | { readonly step: ConnectStep; readonly at_ms: number }
  | { readonly report: TestReport };
