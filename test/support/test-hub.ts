import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Caller } from "../../src/contract/caller.ts";
import { loadHomeSettings } from "../../src/features.ts";
import { createHub, type Hub } from "../../src/hub.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Rule, ServerConfig } from "../../src/machine/config/settings.ts";
import { bundledServer } from "./bundled-servers.ts";
import { putEmptyStore } from "./store-template.ts";
import { tempHome } from "./temp-home.ts";

export interface TestHubSetup {
  /** By name, as the settings file has them. */
  readonly servers?: Readonly<
    Record<string, Partial<Pick<ServerConfig, "command" | "args" | "cwd" | "env" | "url" | "trusted">>>
  >;
  readonly toolboxes?: Readonly<Record<string, readonly string[]>>;
  /** The toolboxes of each agent. */
  readonly agents?: Readonly<Record<string, readonly string[]>>;
  readonly rules?: readonly Omit<Rule, "from">[];
  /** More keys of the settings file. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** That of a hub before, which stays when this one is gone: a restart. What the store has of it must not be set up again. */
  readonly home?: string;
}

export interface TestHub extends AsyncDisposable {
  readonly hub: Hub;
  readonly home: string;
  caller(agent: string): Caller;
  /** Calls as an agent, or as the operator where none is named. */
  call(name: string, args?: unknown, agent?: string): ReturnType<Hub["callTool"]>;
}

/** A real hub over a real home, set up as data, closed and gone with its scope. */
export async function testHub(setup: TestHubSetup = {}): Promise<TestHub> {
  const home = setup.home === undefined ? await tempHome() : keptHome(setup.home);
  if (setup.home === undefined) await putEmptyStore(home.path);
  const file = {
    log_level: "silent",
    // Whole lists, unless the test is about deferring.
    deferred_loading: false,
    // Lists that may change, unless the test is about who accepts that.
    mcp: { pin: false },
    // Nothing asks, unless the test is about that.
    default_rules: false,
    mcpServers: setup.servers ?? {},
    rules: setup.rules ?? [],
    ...setup.settings,
  };
  await writeFile(join(home.path, "config.json"), JSON.stringify(file));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    ...setup.env,
    TOOLKEEP_HOME: home.path,
  };
  const loaded = await loadHomeSettings({ cwd: home.path, env, isTrusted: () => false });
  const hub = await createHub({
    loaded,
    version: "0.0.0-test",
    env,
    ...(setup.clock && { clock: setup.clock }),
  });
  for (const [name, tools] of Object.entries(setup.toolboxes ?? {}))
    await hub.catalog.toolboxes.create(name, { tools });
  for (const [name, toolboxes] of Object.entries(setup.agents ?? {}))
    await hub.identity.createAgent(name, { toolboxes });
  const caller = (agent: string) =>
    hub.identity.callerFor(hub.identity.agent(agent), { tokenId: null, scopes: null, conversation: "test" });
  return {
    hub,
    home: home.path,
    caller,
    call: (name, args = {}, agent) =>
      hub.callTool({
        name,
        arguments: args,
        caller: agent === undefined ? hub.identity.operatorCaller("test") : caller(agent),
        via: "library",
      }),
    async [Symbol.asyncDispose]() {
      await hub.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

function keptHome(path: string): { path: string } & AsyncDisposable {
  return { path, [Symbol.asyncDispose]: async () => {} };
}

/** Servers of npm that every test may use, without the network. */
export const EVERYTHING = { command: process.execPath, args: [bundledServer("everything"), "stdio"] };

export function filesystem(folder: string) {
  return { command: process.execPath, args: [bundledServer("filesystem"), folder] };
}
