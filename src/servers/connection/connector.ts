import type { Vault } from "../../call/vault/vault.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Answering } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { err, type Result } from "../../lib/result.ts";
import type { ServerConfig, Settings } from "../../machine/config/settings.ts";
import type { Processes } from "../../machine/process/processes.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import type { SignInTarget } from "../auth/sign-in.ts";
import type { SignIns } from "../auth/sign-ins.ts";
import type { Definition } from "../lifecycle/definition.ts";
import type { ServerLog } from "../lifecycle/server-log.ts";
import { fillSecrets } from "../lifecycle/server-secrets.ts";
import { type Era, keepIfFresh } from "../transport/era.ts";
import type { ConnectFailure } from "./call.ts";
import type { Connection } from "./connection.ts";

export interface ConnectorDeps {
  readonly vault: Pick<Vault, "seal" | "unseal" | "conceal" | "redact" | "fill" | "list">;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly settings: () => Settings;
  readonly signIns: SignIns;
  readonly clock: Clock;
  readonly log: Log;
  /** The daemon's environment. Servers get it without what belongs to the daemon alone. */
  readonly baseEnv: NodeJS.ProcessEnv;
  /** Toolkeep's version, sent to servers as client info. */
  readonly version: string;
}

/** A server to connect to, or an unregistered configuration (`id` is null). */
export interface ConnectTarget extends SignInTarget {
  readonly config: ServerConfig;
  readonly log: ServerLog | null;
}

export function toConnectTarget(server: {
  readonly definition: Definition;
  readonly log: ServerLog;
}): ConnectTarget & { readonly id: string } {
  const { record, config, isPersonNamed } = server.definition;
  return { id: record.id, name: record.name, config, isPersonNamed, log: server.log };
}

/** Throws for a server that awaits approval: nothing is fetched on its behalf. */
export function toSignInTarget(server: Parameters<typeof toConnectTarget>[0]): SignInTarget {
  const { gate } = server.definition;
  if (gate.kind === "pending_approval") throw new ToolkeepError("BAD_REQUEST", gate.reason);
  return toConnectTarget(server);
}

export interface ConnectAttempt {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly prior: Era | null;
  /** Answers for the one conversation that owns the connection; absent on a shared one. */
  readonly answering?: Answering;
}

const MIN_CONNECT_MS = 1000;

/** `answering` belongs to the conversation that will own the connection. */
export function planAttempt(
  { config, record }: Definition,
  now: number,
  signal: AbortSignal,
  answering?: Answering,
): ConnectAttempt {
  const timeoutMs = Math.max(MIN_CONNECT_MS, config.connectTimeoutMs);
  const prior = keepIfFresh(record.era as Era | null, now);
  return { timeoutMs, signal, prior, ...(answering && { answering }) };
}

/** Opens a connection and lists the tools. Never rejects, and leaves nothing behind after a failure. */
export type Connector = (
  target: ConnectTarget,
  attempt: ConnectAttempt,
) => Promise<Result<Connection, ConnectFailure>>;

/** Loads the MCP client with the first connection, so that a daemon whose servers all rest starts without it. */
export function createConnector(deps: ConnectorDeps): Connector {
  const redact = (text: string) => deps.vault.redact(text);
  const isSecret = (value: string) => redact(value) !== value;

  return async (target, attempt) => {
    const { connect } = await import("./connect.ts");
    if (attempt.signal.aborted) return err({ message: "connecting was cancelled", needsAuth: false });
    const { processes, sandbox, baseEnv, version, clock, signIns } = deps;
    const { limits, net, home } = deps.settings();
    const { id: serverId, config, isPersonNamed, log } = target;
    log?.reportStep("resolve");
    const filled = await fillSecrets(config, isPersonNamed, deps.vault);
    if (!filled.ok) return err({ message: filled.error, needsAuth: false });
    return await connect(
      filled.value,
      { ...attempt, auth: signIns.getAuth(target), isPersonNamed, log, serverId },
      {
        processes,
        sandbox,
        home,
        baseEnv,
        version,
        clock,
        redact,
        isSecret,
        maxMessageBytes: limits.maxMessageBytes,
        allowHosts: net.allowHosts,
      },
    );
  };
}
