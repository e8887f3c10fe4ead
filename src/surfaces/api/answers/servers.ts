import type { DiffLine } from "../../../lib/text/text-diff.ts";
import { PIN_KINDS } from "../../../machine/db/tables/sources/pin-record.ts";
import { FINDING_KINDS } from "../../../servers/trust/definitions/scan-text.ts";
import type * as contract from "../contract.ts";
import {
  anyObject,
  anyOfTexts,
  count,
  listOf,
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

type OAuth = NonNullable<contract.ServerView["oauth"]>;
type Tls = NonNullable<contract.ServerView["tls"]>;
type Sandbox = NonNullable<contract.ServerView["sandbox"]>;
type Era = NonNullable<contract.ServerView["era"]>;
type TestOk = Extract<contract.TestReport, { ok: true }>;
type TestFailed = Extract<contract.TestReport, { ok: false }>;

export const SERVER_STATES = [
  "idle",
  "connecting",
  "ready",
  "unavailable",
  "needs_auth",
  "disabled",
  "pending_approval",
  "closed",
] as const satisfies readonly contract.ServerState[];

/** Servers, and signing in to them. */
export const serverAnswers = {
  ServerView: shape<contract.ServerView>(
    {
      id: text,
      name: text,
      prefix: text,
      source: anyOfTexts(["stored", "user", "project"]),
      state: anyOfTexts(SERVER_STATES),
      enabled: yesNo,
      trusted: yesNo,
      pinned: { type: "boolean", description: "New and changed tools wait for a person." },
      waiting: { ...count, description: "How much waits to be accepted or rejected." },
      transport: anyOfTexts(["stdio", "http", "sse"]),
      command: orNull(text),
      args: texts,
      cwd: orNull(text),
      url: orNull(text),
      envKeys: texts,
      headerKeys: texts,
      secrets: { ...texts, description: "The secrets of the vault that its variables and headers name." },
      oauth: orNull(
        shape<OAuth>({
          grant: anyOfTexts(["authorization_code", "client_credentials"]),
          clientId: orNull(text),
          clientMetadataUrl: orNull(text),
          scope: orNull(text),
          hasSecret: yesNo,
          hasPrivateKey: yesNo,
        }),
      ),
      tls: orNull(shape<Tls>({ cert: orNull(text), key: orNull(text), ca: orNull(text) })),
      timeoutMs: count,
      progressExtendsTimeout: yesNo,
      connectTimeoutMs: count,
      connect: anyOfTexts(["lazy", "eager"]),
      keepAlive: yesNo,
      retry: anyOfTexts(["safe", "never", "once"]),
      maxConcurrency: count,
      sandbox: orNull(
        shape<Sandbox>({
          mode: anyOfTexts(["off", "auto", "required"]),
          network: yesNo,
          read: texts,
          write: texts,
          memoryMb: orNull(count),
          processes: orNull(count),
          cpuSecs: orNull(count),
          fileMb: orNull(count),
          problem: orNull(text),
        }),
      ),
      toolCount: count,
      leftOut: {
        ...listOf(shape<contract.ServerView["leftOut"][number]>({ name: orNull(text), reason: text })),
        description: "Tools of its last list that nobody can use, at most 50.",
      },
      era: orNull(shape<Era>({ era: anyOfTexts(["legacy", "modern"]), version: text, at: time })),
      instructions: orNull(text),
      addedBy: orNull(text),
      listedAt: orNull(time),
      lastError: orNull(text),
      failedAt: orNull({
        ...time,
        description: "When the last attempt to reach it failed; null once one has worked.",
      }),
      changedAt: time,
    },
    "An MCP server behind Toolkeep. Of env and headers only the keys are shown, never a value.",
  ),
  ServerList: shape<contract.ServerList>({ servers: listOf(ref("ServerView")) }),
  ServerAnswer: shape<contract.ServerAnswer>({
    server: ref("ServerView"),
    tools: { ...texts, description: "Names as agents see them, from the last list." },
    replaced: optional({
      ...text,
      description: "Why the server that had the name never worked, where this one replaced it.",
    }),
  }),
  Finding: shape<contract.Finding>({
    kind: anyOfTexts(FINDING_KINDS),
    field: text,
    excerpt: text,
  }),
  ServerFindings: shape<contract.ServerFindings>({
    tools: listOf(
      shape<contract.ServerFindings["tools"][number]>({ tool: text, findings: listOf(ref("Finding")) }),
    ),
  }),
  ServerChanges: shape<contract.ServerChanges>({
    version: { type: "string", description: "What was looked at, for accepting and rejecting." },
    changes: listOf(
      shape<contract.ServerChangeView>({
        kind: anyOfTexts(PIN_KINDS),
        name: text,
        tool: optional(text),
        what: anyOfTexts(["new", "changed"]),
        state: anyOfTexts(["waiting", "rejected"]),
        since: time,
        fields: listOf(
          shape<contract.FieldChange>({
            path: text,
            change: anyOfTexts(["added", "removed", "changed"]),
            before: optional(text),
            after: optional(text),
            lines: optional(
              listOf(shape<DiffLine>({ kind: anyOfTexts(["same", "removed", "added"]), text })),
            ),
          }),
        ),
        findings: listOf(ref("Finding")),
      }),
    ),
  }),
  ServerOffers: shape<contract.ServerOffers>({
    instructions: orNull(text),
    resources: listOf(anyObject),
    resourceTemplates: listOf(anyObject),
    prompts: listOf(anyObject),
  }),
  ServerLogPage: shape<contract.ServerLogPage>({
    entries: listOf(
      shape<contract.ServerLogEntry>({
        seq: count,
        at: time,
        kind: anyOfTexts(["stderr", "message", "junk", "state"]),
        level: optional(text),
        text,
        count: optional(count),
      }),
    ),
    cursor: count,
    junkLines: count,
  }),
  TestReport: oneOf(
    shape<TestOk>({
      ok: { const: true },
      tool_count: count,
      tools: texts,
      latency_ms: count,
      warning: optional(text),
    }),
    shape<TestFailed>({ ok: { const: false }, error: text, latency_ms: count }),
  ),

  SignInStart: shape<contract.SignInStart>({ url: orNull(text), expiresAt: orNull(time) }),
  ServerSignIn: shape<contract.ServerSignIn>({ server: ref("ServerView") }),
  ServerSignInAnswer: shape<contract.ServerSignInAnswer>({
    server: ref("ServerView"),
    signIn: shape<contract.SignInStatus>({
      signedIn: yesNo,
      signedInAt: orNull(time),
      pendingUntil: orNull(time),
      issuer: orNull(text),
      scope: orNull(text),
      failure: orNull(text),
    }),
  }),
};
