import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Questions } from "../../src/call/questions/questions.ts";
import type { Caller } from "../../src/contract/caller.ts";
import { Events } from "../../src/contract/events.ts";
import type { Progress, Tool, ToolResult } from "../../src/contract/tool.ts";
import { createNative, type NativeDeps } from "../../src/features/core-floor.ts";
import { openHomeStore as openStore } from "../../src/features.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { randomId } from "../../src/lib/id.ts";
import type { Settings } from "../../src/machine/config/settings.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { workspacePath } from "../../src/machine/files/workspace.ts";
import { createProcesses } from "../../src/machine/process/processes.ts";
import { createSandbox } from "../../src/machine/process/sandbox.ts";
import { reportToParentTool, requestInputTool } from "../../src/work/tasks/parent.ts";
import { updateTaskStatusTool } from "../../src/work/tasks/tasks.ts";
import { accessTables } from "./access-tables.ts";
import { callTables } from "./call-tables.ts";
import { putEmptyStore } from "./store-template.ts";
import { taskStores } from "./task-stores.ts";
import { testCaller } from "./tools.ts";
import { trustStores } from "./trust-stores.ts";

export interface CallOptions {
  readonly caller?: Partial<Caller>;
  readonly signal?: AbortSignal;
  readonly progress?: (update: Progress) => void;
}

/** The native tools over a real store, real processes and a temporary home. */
export interface TestNative extends AsyncDisposable {
  readonly home: string;
  /** Beside the home, for what lies outside or is granted. */
  readonly outside: string;
  readonly workspace: string;
  readonly store: Store;
  readonly questions: Questions;
  readonly secrets: Map<string, string>;
  readonly native: ReturnType<typeof createNative>;
  /** With those that sub-agents have of the tasks. */
  tools(): readonly Tool[];
  call(tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
}

export interface NativeOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly shell?: Partial<Settings["shell"]>;
  readonly waitMs?: number;
  readonly isSecret?: (value: string) => boolean;
  readonly redact?: (text: string) => string;
}

export async function testNative(options: NativeOptions = {}): Promise<TestNative> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "toolkeep-native-")));
  const home = join(base, "home");
  const outside = join(base, "outside");
  await mkdir(outside);
  await putEmptyStore(home);
  const store = await openStore({ home, databaseUrl: null, clock: systemClock });
  const events = new Events((error) => {
    throw error;
  });
  const secrets = new Map<string, string>();
  const questions = new Questions({
    store: trustStores(store).questions,
    keepSecret: async (name, value) => void secrets.set(name, value),
    grantTool: async () => {},
    events,
    clock: systemClock,
    newId: randomId,
    expireMs: () => 3_600_000,
    pollMs: 50,
  });
  const processes = createProcesses();
  const deps: NativeDeps = {
    home,
    settings: () => ({
      shell: {
        timeoutMs: 20_000,
        maxOutputBytes: 20_000,
        sandbox: "off",
        network: true,
        memoryMb: 8_192,
        processes: 4_096,
        cpuSecs: 3_600,
        fileMb: 2_048,
        ...options.shell,
      },
      questions: { waitMs: options.waitMs ?? 0, expireMs: 3_600_000 },
      limits: { maxResultChars: 20_000 },
    }),
    store,
    ...callTables(store),
    notifications: trustStores(store).notifications,
    questions,
    vault: { names: () => [...secrets.keys()].sort() },
    processes,
    sandbox: createSandbox({
      home,
      env: options.env ?? process.env,
      clock: systemClock,
      newId: randomId,
    }),
    baseEnv: options.env ?? process.env,
    isSecret: options.isSecret ?? (() => false),
    redact: options.redact ?? ((text) => text),
    events,
    clock: systemClock,
    newId: randomId,
  };
  const native = createNative(deps);
  let agents = await accessTables(store).agents.list();
  const ofSubAgents = {
    ...deps,
    store: taskStores(store),
    identity: { agentById: (id: string) => agents.find((agent) => agent.id === id) },
  };
  const tools = () => [
    ...native.tools(),
    requestInputTool(ofSubAgents),
    reportToParentTool(ofSubAgents),
    updateTaskStatusTool(ofSubAgents),
  ];

  return {
    home,
    outside,
    workspace: workspacePath(home, testCaller()),
    store,
    questions,
    secrets,
    native,
    tools,
    async call(name, args = {}, { caller, signal, progress } = {}) {
      agents = await accessTables(store).agents.list();
      const tool = tools().find((candidate) => candidate.name === name);
      if (!tool) throw new Error(`there is no native tool ${name}`);
      return tool.run(args, {
        callId: randomId("call"),
        caller: testCaller(caller),
        signal: signal ?? new AbortController().signal,
        progress: progress ?? (() => {}),
      });
    },
    async [Symbol.asyncDispose]() {
      await native.close();
      questions.close();
      await processes.close();
      await store.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** What a model reads of a result. */
export function textOf(result: ToolResult): string {
  const content = "content" in result ? (result.content ?? []) : [];
  const message = "message" in result ? [result.message] : [];
  return content.length > 0
    ? content.map((block) => String(block.text ?? "")).join("\n")
    : message.join("\n");
}
