import type { Tool, ToolResult } from "../../src/contract/tool.ts";
import { createWebTools } from "../../src/features/web/create-web-tools.ts";
import type { Network } from "../../src/features/web/web-client.ts";
import { randomId } from "../../src/lib/id.ts";
import { ok } from "../../src/lib/result.ts";
import type { Settings } from "../../src/machine/config/settings.ts";
import { createProcesses } from "../../src/machine/process/processes.ts";
import { testCaller } from "./tools.ts";

type WebSettings = Settings["web"];

export interface TestWeb extends AsyncDisposable {
  readonly tools: readonly Tool[];
  readonly concealed: readonly string[];
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
}

export interface WebSetup {
  readonly web?: Partial<Omit<WebSettings, "search">> & { readonly search?: Partial<WebSettings["search"]> };
  readonly maxMessageBytes?: number;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly network?: Network;
  readonly env?: NodeJS.ProcessEnv;
}

/** Every name that there may be is at `address()`: what may be reached there is said by the settings alone. */
export function networkAt(address: () => string): Network {
  return {
    async resolve(host) {
      if (host.endsWith(".invalid")) throw new Error(`${host} has no address`); // RFC 6761
      return [{ address: address(), family: 4 }];
    },
    interfaces: () => ({}),
  };
}

const LOOPBACK_NETWORK = networkAt(() => "127.0.0.1");

/** The web tools over real sockets and processes. */
export function testWeb(setup: WebSetup = {}): TestWeb {
  const web: WebSettings = {
    allowedHosts: [],
    allowedPorts: [],
    timeoutMs: 20_000,
    maxBytes: 1_000_000,
    chromiumPath: null,
    chromiumSandbox: true,
    ...setup.web,
    search: {
      provider: null,
      url: null,
      apiKey: null,
      maxResults: 10,
      timeoutMs: 5_000,
      ...setup.web?.search,
    },
  };
  const limits = {
    maxResultChars: 50_000,
    maxMessageBytes: setup.maxMessageBytes ?? 4_000_000,
    maxToolConcurrency: 10,
  };
  const concealed: string[] = [];
  const processes = createProcesses();
  const source = createWebTools({
    settings: () => ({ web, limits }),
    vault: {
      has: (name) => setup.secrets?.[name] !== undefined,
      read: async (name) => ok(setup.secrets![name]!),
      conceal: (value) => void concealed.push(value),
    },
    processes,
    baseEnv: setup.env ?? process.env,
    network: setup.network ?? LOOPBACK_NETWORK,
  });
  return {
    tools: source.tools(),
    concealed,
    async call(name, args, signal = new AbortController().signal) {
      const tool = source.tools().find((candidate) => candidate.name === name);
      if (!tool) throw new Error(`there is no tool ${name}`);
      return tool.run(args, { callId: randomId("call"), caller: testCaller(), signal, progress: () => {} });
    },
    async [Symbol.asyncDispose]() {
      await source.close();
      await processes.close();
    },
  };
}
