import type { Vault } from "../../call/vault/vault.ts";
import type { Clock } from "../../lib/clock.ts";
import { err } from "../../lib/result.ts";
import { completeServerConfig } from "../../machine/config/sections/server-config.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import { type OpenResult, openDespiteChanges } from "../connection/call.ts";
import type { Connection } from "../connection/connection.ts";
import { type Connector, type ConnectTarget, toConnectTarget } from "../connection/connector.ts";
import type { ServerInput, TestReport } from "../contract.ts";
import type { Server } from "./server.ts";
import { ServerLog, type StepListener } from "./server-log.ts";
import { collectSecretValues } from "./server-secrets.ts";
import { findSandboxProblem } from "./server-view.ts";

const MIN_TEST_MS = 1000;
const MAX_TEST_MS = 10_000;
const NEVER = new AbortController().signal;

interface TestDeps {
  readonly sandbox: Pick<Sandbox, "known">;
  readonly vault: Pick<Vault, "conceal" | "redact">;
  readonly clock: Clock;
}

interface TestOptions {
  readonly signal?: AbortSignal;
  readonly onStep?: StepListener;
}

/** Tests whether servers work, registered or not. Resolves for every failure of a server. */
export class ServerTests {
  readonly #connect: Connector;
  readonly #deps: TestDeps;

  constructor(connect: Connector, deps: TestDeps) {
    this.#connect = connect;
    this.#deps = deps;
  }

  /**
   * Replaces the live connection by a new one; calls under way end on the old one. A disabled server gets a temporary
   * connection.
   */
  async test(server: Server, { signal, onStep }: TestOptions = {}): Promise<TestReport> {
    const stop = onStep && server.log.watchSteps(onStep);
    try {
      return await this.#test(server, signal);
    } finally {
      stop?.();
    }
  }

  async #test(server: Server, signal: AbortSignal | undefined): Promise<TestReport> {
    const { gate, config } = server.definition;
    if (gate.kind === "disabled") {
      return await this.#tryOut(toConnectTarget(server), config.connectTimeoutMs, signal);
    }
    const report = await measureAttempt(async () => {
      if (gate.kind !== "open") return err({ message: gate.reason, needsAuth: false });
      await server.renew();
      const interrupt = () => void server.renew();
      signal?.addEventListener("abort", interrupt, { once: true });
      const connect = () => server.ensureConnected();
      const isCancelled = () => signal?.aborted === true;
      return await openDespiteChanges(connect, isCancelled).finally(() =>
        signal?.removeEventListener("abort", interrupt),
      );
    }, this.#deps.clock);
    return this.#addWarning(report, config);
  }

  async testConfig(
    input: ServerInput,
    { timeoutMs = MAX_TEST_MS, signal, onStep }: TestOptions & { timeoutMs?: number } = {},
  ): Promise<TestReport> {
    const config = completeServerConfig("unregistered", input, "stored");
    for (const value of collectSecretValues(config)) this.#deps.vault.conceal(value);
    const log = new ServerLog(this.#deps.clock, (text) => this.#deps.vault.redact(text));
    if (onStep) log.watchSteps(onStep);
    const target = { id: null, name: config.name, config, isPersonNamed: true, log };
    return await this.#tryOut(target, Math.min(Math.ceil(timeoutMs), MAX_TEST_MS), signal);
  }

  async #tryOut(target: ConnectTarget, timeoutMs: number, signal: AbortSignal = NEVER): Promise<TestReport> {
    const report = await measureAttempt(async () => {
      const attempt = { timeoutMs: Math.max(timeoutMs, MIN_TEST_MS), signal, prior: null };
      const opened = await this.#connect(target, attempt);
      if (opened.ok) await opened.value.close();
      return opened.ok
        ? opened
        : err({ ...opened.error, message: this.#deps.vault.redact(opened.error.message) });
    }, this.#deps.clock);
    return this.#addWarning(report, target.config);
  }

  #addWarning(report: TestReport, { sandbox }: ServerConfig): TestReport {
    const problem = sandbox && findSandboxProblem(sandbox, this.#deps.sandbox);
    return report.ok && problem ? { ...report, warning: `it runs without a sandbox: ${problem}` } : report;
  }
}

/** Runs an attempt to connect and reports its result and duration. */
async function measureAttempt(
  attempt: () => Promise<OpenResult<Connection>>,
  clock: Clock,
): Promise<TestReport> {
  const startedAt = clock();
  const connection = await attempt();
  const latency_ms = clock() - startedAt;
  if (!connection.ok) return { ok: false, error: connection.error.message, latency_ms };
  const tools = connection.value.initialTools.tools.map(({ name }) => name);
  return { ok: true, tool_count: tools.length, tools, latency_ms };
}
