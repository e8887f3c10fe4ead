import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Vault } from "../../src/call/vault/vault.ts";
import type { Caller } from "../../src/contract/caller.ts";
import { type EventMap, Events } from "../../src/contract/events.ts";
import type { Answering, Notice, Progress, Rounds, Tool, ToolResult } from "../../src/contract/tool.ts";
import { randomId } from "../../src/lib/id.ts";
import type { Log } from "../../src/lib/log.ts";
import { mergeSettings } from "../../src/machine/config/merge.ts";
import type { ServerConfig, Settings } from "../../src/machine/config/settings.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { createProcesses } from "../../src/machine/process/processes.ts";
import { createSandbox } from "../../src/machine/process/sandbox.ts";
import type { ServerInput } from "../../src/servers/contract.ts";
import { openServerTables, type ServerTables } from "../../src/servers/tables/server-tables.ts";
import { Upstream, type UpstreamDeps } from "../../src/servers/upstream.ts";
import { ownChildren } from "./own-children.ts";
import { tempStore } from "./temp-store.ts";
import { testCaller } from "./tools.ts";
import { trustStores } from "./trust-stores.ts";

export interface TestUpstream extends AsyncDisposable {
  readonly upstream: Upstream;
  readonly store: Store & ServerTables;
  readonly vault: Vault;
  readonly settings: Settings;
  readonly states: EventMap["server.state"][];
  readonly warnings: string[];
  tool(name: string): Tool;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  /** Ends this upstream and opens another over the same store, as a restart does. */
  restart(change?: Partial<UpstreamDeps>): Promise<void>;
  /** Processes of any server, the reaper included. */
  children(): Promise<number[]>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (update: Progress) => void;
  readonly caller?: Partial<Caller>;
  readonly answering?: Answering;
  readonly rounds?: Rounds;
  readonly logLevel?: string;
  readonly onNotice?: (notice: Notice) => void;
}

/** Upstream over a real store, real vault and real processes, closed and gone with its scope. */
export async function testUpstream(setup: Partial<UpstreamDeps> = {}): Promise<TestUpstream> {
  const temp = await tempStore();
  const store = { ...temp.store, ...openServerTables(temp.store.database) };
  const key = randomBytes(32);
  const vault = await Vault.open({ store: trustStores(store).secrets, key, clock: Date.now });
  const defaults = mergeSettings(temp.home, {});
  // Lists that may change, unless the test is about who accepts that.
  const settings: Settings = { ...defaults, mcp: { ...defaults.mcp, pin: false } };
  const events = new Events((error) => {
    throw error;
  });
  const states: EventMap["server.state"][] = [];
  const warnings: string[] = [];
  const note = (_: object, message: string) => void warnings.push(message);
  const log: Log = { debug() {}, info() {}, warn: note, error: note };
  events.on("server.state", (payload) => states.push(payload));

  const open = async (change: Partial<UpstreamDeps>) => {
    const processes = createProcesses();
    const upstream = await Upstream.open({
      store,
      vault,
      processes,
      sandbox: createSandbox({ home: temp.home, env: process.env, clock: Date.now, newId: randomId }),
      settings,
      events,
      clock: Date.now,
      newId: randomId,
      log,
      reservedNames: () => new Set(["read_file"]),
      baseEnv: process.env,
      version: "0.0.0-test",
      ...change,
    });
    return { upstream, processes };
  };
  let opened = await open(setup);
  const close = async () => {
    await opened.upstream.close();
    await opened.processes.close();
  };

  const tool = (name: string): Tool => {
    const found = opened.upstream.tools().find((candidate) => candidate.name === name);
    if (!found) throw new Error(`no tool ${name} among ${opened.upstream.tools().map((each) => each.name)}`);
    return found;
  };
  return {
    get upstream() {
      return opened.upstream;
    },
    store,
    vault,
    settings,
    states,
    warnings,
    tool,
    call: (name, args = {}, { signal, onProgress, caller, ...more } = {}) =>
      tool(name).run(args, {
        callId: randomId("call"),
        caller: testCaller(caller),
        signal: signal ?? new AbortController().signal,
        progress: onProgress ?? (() => {}),
        ...more,
      }),
    async restart(change = {}) {
      await close();
      opened = await open({ ...setup, ...change });
    },
    children: ownChildren,
    async [Symbol.asyncDispose]() {
      await close();
      await temp[Symbol.asyncDispose]();
    },
  };
}

/** A server of `servers/fixture.mjs` that behaves as named there. */
export function fixture(behaviour: string, argument?: string): ServerInput {
  const script = join(import.meta.dirname, "servers/fixture.mjs");
  return {
    command: process.execPath,
    args: [script, behaviour, ...(argument === undefined ? [] : [argument])],
  };
}

/** Settings as a file would give them, with these servers. */
export function settingsWith(settings: Settings, servers: readonly ServerConfig[], mcp = {}): Settings {
  return { ...settings, servers, mcp: { ...settings.mcp, ...mcp } };
}

/** What a tool said, as one string. */
export function said(result: ToolResult): string {
  if (result.kind !== "output") throw new Error(`expected output, got ${JSON.stringify(result)}`);
  return result.content.map((block) => String(block.text ?? "")).join("\n");
}
