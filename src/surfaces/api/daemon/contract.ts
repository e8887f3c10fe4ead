/** The shapes of what the daemon says of itself, and of every failure. */

import { z } from "zod";
import { ERRORS, type ErrorCode } from "../../../contract/errors.ts";
import type { Check } from "../../../contract/health.ts";
import { anyObject, count, type Infer, optional, time, typed } from "../../../contract/shape.ts";
import type { FoundFile } from "../../../machine/config/load.ts";
import type { StoreDump } from "../../../machine/db/store.ts";
import { serverState } from "../../../servers/contract.ts";

export const apiFailure = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(ERRORS) as [ErrorCode]),
      message: z.string().describe("What was expected and what came."),
      remedy: z.string().describe("What to do about it."),
      details: anyObject.exactOptional(),
    }),
  })
  .meta({ id: "ApiFailure", description: "Every failure, with the status of its code." });
export type ApiFailure = Infer<typeof apiFailure>;

export const health = z
  .object({
    status: z.literal("ok").describe("The process answers."),
    ready: z.boolean().describe("The store can be used. If not, `?ready` is answered with 503."),
    version: z.string(),
    uptime_ms: count,
  })
  .meta({ id: "Health" });
export type Health = Infer<typeof health>;

export const status = z
  .object({
    version: z.string(),
    uptimeMs: count,
    home: z.string(),
    url: z.string(),
    store: z.enum(["sqlite", "postgres"]),
    servers: z.object({
      total: count,
      ...optional(
        Object.fromEntries(serverState.options.map((state) => [state, count])) as Record<
          Infer<typeof serverState>,
          typeof count
        >,
      ),
    }),
    agents: count,
    tools: count,
    pendingQuestions: count,
    notifications: count,
  })
  .meta({ id: "Status" });
export type Status = Infer<typeof status>;

// The home page

const callMinute = z.object({
  at: time,
  calls: count,
  failed: count.describe("Something went wrong: with the tool, its server, or Toolkeep."),
  refused: count.describe("Somebody was not allowed, or asked for something that does not exist."),
  p95Ms: count
    .nullable()
    .describe("95 of 100 calls took no longer, within a fifth; null where there were none."),
});
export type CallMinute = Infer<typeof callMinute>;

const duration = z.number().min(0);
const serverLatency = z
  .object({
    server: z.string(),
    calls: count.describe("Since the daemon started."),
    medianMs: duration,
    p95Ms: duration,
  })
  .describe("Of the last calls that a server answered.");
export type ServerLatency = Infer<typeof serverLatency>;

const agentTokens = z
  .object({
    agent: z.string(),
    listed: count,
    deferred: count.describe("Left to tool_search: kept out of each prompt."),
  })
  .describe("About how many tokens the tools of an agent take in the prompts of a conversation that begins.");
export type AgentTokens = Infer<typeof agentTokens>;

export const home = z
  .object({
    minutes: z.array(callMinute).describe("The last hour, oldest first; since the daemon started."),
    latencies: z.array(serverLatency),
    tokens: z.array(agentTokens).describe("Of at most 20 agents."),
    waiting: z
      .object({
        approvals: count,
        questions: count,
        notifications: count,
        servers: count.describe("Servers to approve, and to sign in to."),
        changes: count.describe("Published by pinned servers, and accepted by nobody."),
      })
      .describe("What waits for a person."),
  })
  .meta({ id: "Home" });
export type Home = Infer<typeof home>;

// Where MCP is served

const mcpPlace = z.object({ name: z.string(), url: z.string() });
export type McpPlace = Infer<typeof mcpPlace>;

export const discovery = z
  .union([
    z
      .object({
        available: z.literal(true),
        url: z.string().describe("Where MCP clients reach Toolkeep."),
        rpc_url: z.string(),
        toolboxes: z.array(mcpPlace).describe("Addresses narrowed to one toolbox: `/mcp/NAME`."),
        servers: z.array(mcpPlace).describe("Addresses that pass one server through: `/mcp/server/NAME`."),
        health,
      })
      .describe("MCP is served here."),
    z.object({ available: z.literal(false), reason: z.string() }).describe("Nothing serves MCP."),
  ])
  .meta({ id: "Discovery" });
export type Discovery = Infer<typeof discovery>;

// Settings

const file = typed<FoundFile>(
  z.object({
    path: z.string(),
    scope: z.enum(["user", "project"]),
    used: z.boolean(),
    reason: z.string().describe("Why it is not used.").exactOptional(),
  }),
);

export const configAnswer = z
  .object({
    settings: anyObject.describe("In force now; secrets are masked."),
    files: z.array(file),
    warnings: z.array(z.string()),
  })
  .meta({ id: "ConfigAnswer" });
export type ConfigAnswer = Infer<typeof configAnswer>;

export const settingView = z
  .object({
    key: z.string().describe("As in the files: `shell.timeout_ms`."),
    description: z.string(),
    value: z.unknown().describe("In force now; secrets are masked."),
    default: z.unknown(),
    origin: z.enum(["default", "user", "project", "env"]),
    env: z.string().nullable().describe("The variable of the environment that overrides every file, if any."),
    restart: z.boolean().describe("A change takes effect at the next start."),
    schema: anyObject.nullable().describe("What a value has to be; null where only the file changes it."),
    fixed: z.string().nullable().describe("Why it cannot be changed here now."),
  })
  .meta({ id: "SettingView" });
export type SettingView = Infer<typeof settingView>;

const settings = { settings: z.array(settingView), files: z.array(file), warnings: z.array(z.string()) };
export const settingList = z.object(settings).meta({ id: "SettingList" });
export type SettingList = Infer<typeof settingList>;

export const settingChanges = z.object({
  changes: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]).meta({ maxLength: 1_000 }))
    .meta({ minProperties: 1, maxProperties: 100 })
    .describe("By key; null removes one from the file, so that its default counts."),
});
export type SettingChanges = Infer<typeof settingChanges>;

export const settingsChanged = z
  .object({
    ...settings,
    file: z.string().describe("The file that was written."),
    backup: z.string().nullable().describe("The copy of what was there before."),
  })
  .meta({ id: "SettingsChanged" });
export type SettingsChanged = Infer<typeof settingsChanged>;

// Backups and checks

export const backup = z
  .object({
    format: z.literal("toolkeep-backup"),
    formatVersion: z.literal(1),
    version: z.string(),
    createdAt: time,
    store: typed<StoreDump>(
      z.object({ schemaVersion: count, features: anyObject.exactOptional(), tables: anyObject }),
    ),
    key: z
      .string()
      .nullable()
      .describe("The home's key, base64; null where TOOLKEEP_KEY gives it from outside."),
    config: z
      .object({ name: z.string(), content: z.string() })
      .nullable()
      .describe("The settings file of the home; null where there is none."),
  })
  .meta({ id: "Backup", description: "As secret as the home itself: it holds the key." });
export type Backup = Infer<typeof backup>;

const check = typed<Check>(
  z.object({
    name: z.string(),
    state: z.enum(["ok", "warning", "failed"]),
    detail: z.string(),
    remedy: z.string().exactOptional(),
  }),
);
export const checkList = z.object({ checks: z.array(check) }).meta({ id: "CheckList" });
export type CheckList = Infer<typeof checkList>;
