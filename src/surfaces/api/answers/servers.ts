import type { DiffLine } from "../../../lib/text/text-diff.ts";
import { PIN_KINDS } from "../../../machine/db/tables/sources/pin-record.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

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
  ServerView: s.shape<contract.ServerView>(
    {
      id: s.text,
      name: s.text,
      prefix: s.text,
      source: s.anyOfTexts(["stored", "user", "project"]),
      state: s.anyOfTexts(SERVER_STATES),
      enabled: s.yesNo,
      trusted: s.yesNo,
      pinned: { type: "boolean", description: "New and changed tools wait for a person." },
      waiting: { ...s.count, description: "How much waits to be accepted or rejected." },
      transport: s.anyOfTexts(["stdio", "http", "sse"]),
      command: s.orNull(s.text),
      args: s.texts,
      cwd: s.orNull(s.text),
      url: s.orNull(s.text),
      envKeys: s.texts,
      headerKeys: s.texts,
      secrets: { ...s.texts, description: "The secrets of the vault that its variables and headers name." },
      oauth: s.orNull(
        s.shape<OAuth>({
          grant: s.anyOfTexts(["authorization_code", "client_credentials"]),
          clientId: s.orNull(s.text),
          clientMetadataUrl: s.orNull(s.text),
          scope: s.orNull(s.text),
          hasSecret: s.yesNo,
          hasPrivateKey: s.yesNo,
        }),
      ),
      tls: s.orNull(s.shape<Tls>({ cert: s.orNull(s.text), key: s.orNull(s.text), ca: s.orNull(s.text) })),
      timeoutMs: s.count,
      progressExtendsTimeout: s.yesNo,
      connectTimeoutMs: s.count,
      connect: s.anyOfTexts(["lazy", "eager"]),
      keepAlive: s.yesNo,
      retry: s.anyOfTexts(["safe", "never", "once"]),
      maxConcurrency: s.count,
      sandbox: s.orNull(
        s.shape<Sandbox>({
          mode: s.anyOfTexts(["off", "auto", "required"]),
          network: s.yesNo,
          read: s.texts,
          write: s.texts,
          memoryMb: s.orNull(s.count),
          processes: s.orNull(s.count),
          cpuSecs: s.orNull(s.count),
          fileMb: s.orNull(s.count),
          problem: s.orNull(s.text),
        }),
      ),
      toolCount: s.count,
      leftOut: {
        ...s.listOf(
          s.shape<contract.ServerView["leftOut"][number]>({ name: s.orNull(s.text), reason: s.text }),
        ),
        description: "Tools of its last list that nobody can use, at most 50.",
      },
      era: s.orNull(s.shape<Era>({ era: s.anyOfTexts(["legacy", "modern"]), version: s.text, at: s.time })),
      instructions: s.orNull(s.text),
      addedBy: s.orNull(s.text),
      listedAt: s.orNull(s.time),
      lastError: s.orNull(s.text),
      failedAt: s.orNull({
        ...s.time,
        description: "When the last attempt to reach it failed; null once one has worked.",
      }),
      changedAt: s.time,
    },
    "An MCP server behind Toolkeep. Of env and headers only the keys are shown, never a value.",
  ),
  ServerList: s.shape<contract.ServerList>({ servers: s.listOf(s.ref("ServerView")) }),
  ServerAnswer: s.shape<contract.ServerAnswer>({
    server: s.ref("ServerView"),
    tools: { ...s.texts, description: "Names as agents see them, from the last list." },
    replaced: s.optional({
      ...s.text,
      description: "Why the server that had the name never worked, where this one replaced it.",
    }),
  }),
  ServerFindings: s.shape<contract.ServerFindings>({
    tools: s.listOf(
      s.shape<contract.ServerFindings["tools"][number]>({
        tool: s.text,
        findings: s.listOf(s.ref("Finding")),
      }),
    ),
  }),
  ServerChanges: s.shape<contract.ServerChanges>({
    version: { type: "string", description: "What was looked at, for accepting and rejecting." },
    changes: s.listOf(
      s.shape<contract.ServerChangeView>({
        kind: s.anyOfTexts(PIN_KINDS),
        name: s.text,
        tool: s.optional(s.text),
        what: s.anyOfTexts(["new", "changed"]),
        state: s.anyOfTexts(["waiting", "rejected"]),
        since: s.time,
        fields: s.listOf(
          s.shape<contract.FieldChange>({
            path: s.text,
            change: s.anyOfTexts(["added", "removed", "changed"]),
            before: s.optional(s.text),
            after: s.optional(s.text),
            lines: s.optional(
              s.listOf(s.shape<DiffLine>({ kind: s.anyOfTexts(["same", "removed", "added"]), text: s.text })),
            ),
          }),
        ),
        findings: s.listOf(s.ref("Finding")),
      }),
    ),
  }),
  ServerOffers: s.shape<contract.ServerOffers>({
    instructions: s.orNull(s.text),
    resources: s.listOf(s.anyObject),
    resourceTemplates: s.listOf(s.anyObject),
    prompts: s.listOf(s.anyObject),
  }),
  ServerLogPage: s.shape<contract.ServerLogPage>({
    entries: s.listOf(
      s.shape<contract.ServerLogEntry>({
        seq: s.count,
        at: s.time,
        kind: s.anyOfTexts(["stderr", "message", "junk", "state"]),
        level: s.optional(s.text),
        text: s.text,
        count: s.optional(s.count),
      }),
    ),
    cursor: s.count,
    junkLines: s.count,
  }),
  TestReport: s.oneOf(
    s.shape<TestOk>({
      ok: { const: true },
      tool_count: s.count,
      tools: s.texts,
      latency_ms: s.count,
      warning: s.optional(s.text),
    }),
    s.shape<TestFailed>({ ok: { const: false }, error: s.text, latency_ms: s.count }),
  ),

  SignInStart: s.shape<contract.SignInStart>({ url: s.orNull(s.text), expiresAt: s.orNull(s.time) }),
  ServerSignIn: s.shape<contract.ServerSignIn>({ server: s.ref("ServerView") }),
  ServerSignInAnswer: s.shape<contract.ServerSignInAnswer>({
    server: s.ref("ServerView"),
    signIn: s.shape<contract.SignInStatus>({
      signedIn: s.yesNo,
      signedInAt: s.orNull(s.time),
      pendingUntil: s.orNull(s.time),
      issuer: s.orNull(s.text),
      scope: s.orNull(s.text),
      failure: s.orNull(s.text),
    }),
  }),
};
