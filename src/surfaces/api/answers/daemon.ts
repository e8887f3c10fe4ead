import { ERRORS } from "../../../contract/errors.ts";
import type * as contract from "../contract.ts";
import { SERVER_STATES } from "./servers.ts";
import {
  anyObject,
  anyOfTexts,
  count,
  listOf,
  type OptionalSchema,
  oneOf,
  optional,
  orNull,
  ref,
  shape,
  text,
  texts,
  time,
  yesNo,
} from "./shape.ts";

type Available = Extract<contract.Discovery, { available: true }>;
type Unavailable = Extract<contract.Discovery, { available: false }>;
type Place = Available["toolboxes"][number];

const serverCounts = Object.fromEntries(SERVER_STATES.map((state) => [state, optional(count)])) as Record<
  contract.ServerState,
  OptionalSchema
>;
const number = { type: "number", minimum: 0 };
const places = listOf(shape<Place>({ name: text, url: text }));

/** The daemon itself. */
export const daemonAnswers = {
  ApiFailure: shape<contract.ApiFailure>(
    {
      error: shape<contract.ApiFailure["error"]>({
        code: anyOfTexts(Object.keys(ERRORS)),
        message: { type: "string", description: "What was expected and what came." },
        remedy: { type: "string", description: "What to do about it." },
        details: optional(anyObject),
      }),
    },
    "Every failure, with the status of its code.",
  ),
  Done: shape<contract.Done>({ done: { const: true } }),
  Health: shape<contract.Health>(
    { status: { const: "ok" }, ready: yesNo, version: text, uptime_ms: count },
    "`ready` is false while the store cannot be used.",
  ),
  Status: shape<contract.Status>({
    version: text,
    uptimeMs: count,
    home: text,
    url: text,
    store: anyOfTexts(["sqlite", "postgres"]),
    servers: shape<contract.Status["servers"]>({ total: count, ...serverCounts }),
    agents: count,
    tools: count,
    pendingQuestions: count,
    notifications: count,
  }),
  Home: shape<contract.Home>({
    minutes: listOf(
      shape<contract.CallMinute>({
        at: time,
        calls: count,
        failed: count,
        refused: count,
        p95Ms: orNull(count),
      }),
    ),
    latencies: listOf(
      shape<contract.ServerLatency>({ server: text, calls: count, medianMs: number, p95Ms: number }),
    ),
    tokens: listOf(shape<contract.AgentTokens>({ agent: text, listed: count, deferred: count })),
    waiting: shape<contract.Home["waiting"]>({
      approvals: count,
      questions: count,
      notifications: count,
      servers: count,
      changes: count,
    }),
  }),
  Discovery: oneOf(
    shape<Available>(
      {
        available: { const: true },
        url: { type: "string", description: "Where MCP clients reach Toolkeep." },
        rpc_url: text,
        toolboxes: { ...places, description: "Addresses narrowed to one toolbox." },
        servers: { ...places, description: "Addresses that pass one server through." },
        health: ref("Health"),
      },
      "MCP is served here.",
    ),
    shape<Unavailable>({ available: { const: false }, reason: text }, "Nothing serves MCP."),
  ),
  ConfigAnswer: shape<contract.ConfigAnswer>({
    settings: { type: "object", description: "In force now; secrets are masked." },
    files: listOf(
      shape<contract.ConfigAnswer["files"][number]>({
        path: text,
        scope: anyOfTexts(["user", "project"]),
        used: yesNo,
        reason: optional(text),
      }),
    ),
    warnings: texts,
  }),
  TrustList: shape<contract.TrustList>({
    trusted: listOf(shape<contract.TrustEntry>({ path: text, sha256: text, at: time })),
  }),
  Backup: shape<contract.Backup>(
    {
      format: { const: "toolkeep-backup" },
      formatVersion: { const: 1 },
      version: text,
      createdAt: time,
      store: shape<contract.Backup["store"]>({ schemaVersion: count, tables: anyObject }),
      key: orNull(text),
      config: orNull(shape<NonNullable<contract.Backup["config"]>>({ name: text, content: text })),
    },
    "As secret as the home itself: it holds the key.",
  ),
};
