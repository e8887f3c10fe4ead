import { Audit } from "../../src/call/audit/audit.ts";
import { Catalog } from "../../src/call/catalog/catalog.ts";
import { type BatchOptions, BatchTurns, callBatch } from "../../src/call/executor/batch.ts";
import { callTool } from "../../src/call/executor/call-tool.ts";
import type { Kernel } from "../../src/call/executor/kernel.ts";
import { Questions } from "../../src/call/questions/questions.ts";
import { Approvals } from "../../src/call/rules/approvals/approvals.ts";
import { Watchdog } from "../../src/call/rules/watchdog.ts";
import type { Vault } from "../../src/call/vault/vault.ts";
import type { Caller } from "../../src/contract/caller.ts";
import { Events } from "../../src/contract/events.ts";
import type { Tool, ToolCall } from "../../src/contract/tool.ts";
import { Deadlines } from "../../src/lib/flow/deadlines.ts";
import { randomId } from "../../src/lib/id.ts";
import { silentLog } from "../../src/lib/log.ts";
import { Schemas } from "../../src/lib/schema/schemas.ts";
import type { Rule } from "../../src/machine/config/settings.ts";
import { callTables } from "./call-tables.ts";
import { ruleDeps } from "./rule-deps.ts";
import { tempStore } from "./temp-store.ts";
import { testChain } from "./test-chain.ts";
import { TestSource, testCaller } from "./tools.ts";
import { trustStores } from "./trust-stores.ts";

interface Setup {
  readonly tools: readonly Tool[];
  readonly rules?: readonly Rule[];
  readonly secret?: string;
  readonly maxResultChars?: number;
  readonly maxMessageBytes?: number;
  readonly maxToolConcurrency?: number;
  /** How many calls of batches may run at once, of all agents. */
  readonly maxBatchCalls?: number;
  readonly clock?: () => number;
  /** In place of `secret`: the known secrets, and the values they expand to. */
  readonly vault?: Pick<Vault, "expand" | "redact" | "revisionsIn">;
  /** The caller as it is now; absent: unchanged. */
  readonly current?: Kernel["identity"]["currentCaller"];
  /** How long a call waits for approval. */
  readonly waitMs?: number;
  /** How long the store may take to save the intent of a destructive call. */
  readonly intentMs?: number;
}

interface WrittenRule {
  readonly id: string;
  readonly answer: string;
  readonly tool: string;
}

/** The real path of a call with everything it needs, over a real store. */
export async function openExecutor({
  tools,
  rules = [],
  secret,
  maxResultChars = 1_000,
  maxMessageBytes = 4_000_000,
  maxToolConcurrency = 10,
  maxBatchCalls = 100,
  clock = Date.now,
  waitMs = 0,
  current = (caller) => caller,
  vault,
  intentMs,
}: Setup) {
  const temp = await tempStore();
  const { store, home } = temp;
  const events = new Events(() => {});
  const redact = (value: string) =>
    vault ? vault.redact(value) : secret ? value.replaceAll(secret, "[redacted]") : value;
  const source = new TestSource(tools);
  const written: WrittenRule[] = [];
  const questions = new Questions({
    store: trustStores(store).questions,
    keepSecret: async () => {},
    redact,
    redactForApproval: redact,
    grantTool: async () => {},
    events,
    clock,
    newId: randomId,
    expireMs: () => 60_000,
    rejectedMs: () => 10_000,
    isHeadless: (agentId) => agentId === "agt_headless",
    rules: {
      write: async (question, answer) => {
        const id = `rul_${written.length}`;
        written.push({ id, answer, tool: String(question.details.tool) });
        return [id];
      },
      remove: async () => {},
    },
  });
  const watchdog = new Watchdog(ruleDeps(store, rules, clock));
  const approvals = new Approvals({
    questions,
    settings: () => ({ approvals: { waitMs, rejectedMs: 10_000, webhookUrl: null, webhookSecret: null } }),
    haveRules: async (ids) => ids.every((id) => written.some((rule) => rule.id === id)),
    namedSecrets: (args) => vault?.revisionsIn(args) ?? [],
    claims: trustStores(store).claims,
    clock,
    progressMs: 5,
  });
  const chain = testChain(temp);
  const audit = await Audit.open({
    ...chain,
    redact,
    clock,
    onLost: (_, cause) => {
      throw cause;
    },
  });
  const bugs: unknown[] = [];
  const catalog = await Catalog.open({
    sources: [source],
    store,
    isHidden: (tool, caller) => watchdog.isHidden(tool, caller),
    ruledConversation: (caller) => watchdog.ruledConversation(caller),
    isOffered: () => false,
    agentsWith: () => [],
    events,
    clock,
  });
  const kernel: Kernel = {
    ...(intentMs !== undefined && { intentMs }),
    usage: { noteUse: () => {} },
    settings: () => ({ limits: { maxResultChars, maxMessageBytes, maxToolConcurrency } }),
    catalog,
    offers: {
      pending: () => undefined,
      resolve: () => {
        throw new Error("nothing is offered here");
      },
    },
    watchdog,
    approvals,
    identity: { currentCaller: current },
    audit,
    schemas: new Schemas(() => {}),
    deadlines: new Deadlines(),
    vault: { redact, expand: async (args, use) => vault?.expand(args, use) },
    outputs: callTables(store).outputs,
    log: { warn: silentLog.warn, error: (about) => bugs.push((about as { err: unknown }).err) },
    events,
    clock,
    newId: randomId,
  };
  const grants = tools.map((tool) => tool.name);
  const caller = testCaller({ grants });
  const turns = new BatchTurns(() => maxBatchCalls);
  const batching = { ...kernel, turns, callTool: (call: ToolCall) => callTool(call, kernel) };
  return {
    store,
    auditTable: chain.store,
    home,
    questions,
    watchdog,
    approvals,
    source,
    written,
    audit,
    bugs,
    call: (name: string, args: unknown = {}, more: Partial<ToolCall> = {}, who: Caller = caller) =>
      callTool({ name, arguments: args, caller: who, via: "library", ...more }, kernel),
    turns,
    caller: (agent: string) => testCaller({ agentId: `agt_${agent}`, agentName: agent, grants }),
    /** Calls tools by name, each with its position as the argument `at`. */
    batch: (names: readonly string[], options: BatchOptions = {}, who: Caller = caller) =>
      callBatch(
        names.map((name, at) => ({ name, arguments: { at }, caller: who, via: "library" })),
        batching,
        options,
      ),
    batchOf: (calls: readonly ToolCall[], options: BatchOptions = {}) => callBatch(calls, batching, options),
    records: async () => {
      await audit.flush();
      return callTables(store).calls.list({ limit: 100 });
    },
    async [Symbol.asyncDispose]() {
      await audit.close();
      questions.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}
