import { ERRORS } from "../../../contract/errors.ts";
import { serverState } from "../../../servers/contract.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

type Available = Extract<contract.Discovery, { available: true }>;
type Unavailable = Extract<contract.Discovery, { available: false }>;
type Place = Available["toolboxes"][number];

const serverCounts = Object.fromEntries(
  serverState.options.map((state) => [state, s.optional(s.count)]),
) as Record<contract.ServerState, s.OptionalSchema>;
const number = { type: "number", minimum: 0 };
const places = s.listOf(s.shape<Place>({ name: s.text, url: s.text }));

/** The daemon itself. */
export const daemonAnswers = {
  ApiFailure: s.shape<contract.ApiFailure>(
    {
      error: s.shape<contract.ApiFailure["error"]>({
        code: s.anyOfTexts(Object.keys(ERRORS)),
        message: { type: "string", description: "What was expected and what came." },
        remedy: { type: "string", description: "What to do about it." },
        details: s.optional(s.anyObject),
      }),
    },
    "Every failure, with the status of its code.",
  ),
  CheckList: s.shape<contract.CheckList>({
    checks: s.listOf(
      s.shape<contract.CheckList["checks"][number]>({
        name: s.text,
        state: s.anyOfTexts(["ok", "warning", "failed"]),
        detail: s.text,
        remedy: s.optional(s.text),
      }),
    ),
  }),
  Done: s.shape<contract.Done>({ done: { const: true } }),
  Health: s.shape<contract.Health>(
    { status: { const: "ok" }, ready: s.yesNo, version: s.text, uptime_ms: s.count },
    "`ready` is false while the store cannot be used.",
  ),
  Status: s.shape<contract.Status>({
    version: s.text,
    uptimeMs: s.count,
    home: s.text,
    url: s.text,
    store: s.anyOfTexts(["sqlite", "postgres"]),
    servers: s.shape<contract.Status["servers"]>({ total: s.count, ...serverCounts }),
    agents: s.count,
    tools: s.count,
    pendingQuestions: s.count,
    notifications: s.count,
  }),
  Home: s.shape<contract.Home>({
    minutes: s.listOf(
      s.shape<contract.CallMinute>({
        at: s.time,
        calls: s.count,
        failed: s.count,
        refused: s.count,
        p95Ms: s.orNull(s.count),
      }),
    ),
    latencies: s.listOf(
      s.shape<contract.ServerLatency>({ server: s.text, calls: s.count, medianMs: number, p95Ms: number }),
    ),
    tokens: s.listOf(s.shape<contract.AgentTokens>({ agent: s.text, listed: s.count, deferred: s.count })),
    waiting: s.shape<contract.Home["waiting"]>({
      approvals: s.count,
      questions: s.count,
      notifications: s.count,
      servers: s.count,
      changes: s.count,
    }),
  }),
  Discovery: s.oneOf(
    s.shape<Available>(
      {
        available: { const: true },
        url: { type: "string", description: "Where MCP clients reach Toolkeep." },
        rpc_url: s.text,
        toolboxes: { ...places, description: "Addresses narrowed to one toolbox." },
        servers: { ...places, description: "Addresses that pass one server through." },
        health: s.ref("Health"),
      },
      "MCP is served here.",
    ),
    s.shape<Unavailable>({ available: { const: false }, reason: s.text }, "Nothing serves MCP."),
  ),
  ConfigAnswer: s.shape<contract.ConfigAnswer>({
    settings: { type: "object", description: "In force now; secrets are masked." },
    files: s.listOf(
      s.shape<contract.ConfigAnswer["files"][number]>({
        path: s.text,
        scope: s.anyOfTexts(["user", "project"]),
        used: s.yesNo,
        reason: s.optional(s.text),
      }),
    ),
    warnings: s.texts,
  }),
  Backup: s.shape<contract.Backup>(
    {
      format: { const: "toolkeep-backup" },
      formatVersion: { const: 1 },
      version: s.text,
      createdAt: s.time,
      store: s.shape<contract.Backup["store"]>({
        schemaVersion: s.count,
        features: s.optional(s.anyObject),
        tables: s.anyObject,
      }),
      key: s.orNull(s.text),
      config: s.orNull(s.shape<NonNullable<contract.Backup["config"]>>({ name: s.text, content: s.text })),
    },
    "As secret as the home itself: it holds the key.",
  ),
};
