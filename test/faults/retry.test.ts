import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerConfig } from "../../src/machine/config/settings.ts";
import { type RemoteServer, remoteServer } from "../support/remote-server.ts";
import {
  type Exchange,
  type LegacyHttp,
  legacyHttp,
  said as saying,
} from "../support/servers/legacy-http.ts";
import { tempHome } from "../support/temp-home.ts";
import { said } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";
import { freshUpstream } from "./fresh-upstream.ts";

const it = freshUpstream({ backoffMs: [1] });

/** Every setting that decides whether a call is sent again. */
interface Manner {
  readonly retry: ServerConfig["retry"];
  readonly trusted: boolean;
}

const MANNERS: readonly Manner[] = (["safe", "never", "once"] as const).flatMap((retry) => [
  { retry, trusted: true },
  { retry, trusted: false },
]);
const TOOLS = ["plain", "reads", "idempotent"] as const;
type ToolName = (typeof TOOLS)[number];

/** Whether a call that was lost with its connection, and may have been received, is sent a second time. */
function isResent({ retry, trusted }: Manner, tool: ToolName): boolean {
  return retry === "once" || (retry === "safe" && trusted && tool !== "plain");
}

/** How often the server got a call, and how the call ended. */
interface Received {
  readonly received: number;
  readonly kind: string;
}

describe("a local server that dies", () => {
  test.each(["after reading it", "in the middle of its answer"])(
    "%s gets a call again only where its settings allow it",
    async (moment) => {
      await using servers = await countingServers();
      const lost = ({ manner, tool }: Case): Received =>
        isResent(manner, tool) ? { received: 2, kind: "output" } : { received: 1, kind: "unavailable" };
      await expectOfAll(servers, lost, (server, tool) => server.call(tool, { moment }));
    },
  );

  test("every time gets a call twice at most", async () => {
    await using servers = await countingServers(MANNERS.filter((manner) => isResent(manner, "reads")));
    const lost = ({ manner, tool }: Case): Received => ({
      received: isResent(manner, tool) ? 2 : 1,
      kind: "unavailable",
    });
    await expectOfAll(servers, lost, (server, tool) =>
      server.call(tool, { moment: "after reading it", always: true }),
    );
  });

  test("after its answer gets no call again", async () => {
    await using servers = await countingServers(MANNERS.filter((manner) => isResent(manner, "reads")));
    await expectOfAll(
      servers,
      () => ({ received: 1, kind: "output" }),
      async (server, tool) => {
        const end = await server.call(tool, { moment: "after its answer" });
        await server.deathNoticed();
        return end;
      },
    );
  });

  test("without reading a call that was written gets it again only where its settings allow it", async () => {
    await using servers = await countingServers();
    // It cannot have been read, but we cannot know that.
    const unread = ({ manner, tool }: Case): Received =>
      isResent(manner, tool) ? { received: 1, kind: "output" } : { received: 0, kind: "unavailable" };
    await expectOfAll(servers, unread, async (server, tool) => {
      const pid = await server.pid("deafen");
      const end = server.call(tool, { moment: "none" });
      setTimeout(() => process.kill(pid, "SIGKILL"), 50);
      return await end;
    });
  });

  test("before a call leaves gets it once all the same, unless retry is never", async () => {
    await using servers = await countingServers(MANNERS.filter(({ trusted }) => !trusted));
    const unsent = ({ manner }: Case): Received =>
      manner.retry === "never" ? { received: 0, kind: "unavailable" } : { received: 1, kind: "output" };
    await expectOfAll(servers, unsent, async (server, tool) => {
      const pid = await server.pid("pid");
      process.kill(pid, "SIGKILL");
      // Without giving the event loop a turn: it would notice.
      while (isRunning(pid));
      return await server.call(tool, { moment: "none" });
    });
  });
});

test("a call that ran out of time, or was cancelled, is never sent again", async () => {
  await using servers = await countingServers();
  const ended = () => ({ received: 1, kind: "failed" });
  await expectOfAll(servers, ended, async (server, tool) => {
    await server.pid("pid"); // by now it is there
    return await server.call(tool, { moment: "never" }, AbortSignal.timeout(500));
  });
});

describe("a remote server", () => {
  const BREAKS: Readonly<Record<string, (exchange: Exchange) => void>> = {
    "after reading it": ({ response }) => void response.destroy(),
    "before answering it": ({ response }) => void setTimeout(() => response.destroy(), 30),
    "after the head of its answer": ({ response }) => {
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      setTimeout(() => response.destroy(), 30);
    },
    "in the middle of its answer": ({ response }) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"jsonrpc":"2.0",', () => setTimeout(() => response.destroy(), 30));
    },
    "in the middle of its event": ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"jsonrpc":"2.0",', () => setTimeout(() => response.destroy(), 30));
    },
    "between its events": ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("id: 1\n: a moment\n\n", () => setTimeout(() => response.destroy(), 30));
    },
  };
  const REFUSALS: Readonly<Record<string, (exchange: Exchange) => void>> = {
    "HTTP 500": ({ response }) => void response.writeHead(500).end(),
    "HTTP 503": ({ response }) => void response.writeHead(503).end(),
    "an error": ({ id, response }) =>
      void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message: "no" } })),
  };

  test.each(Object.entries(BREAKS))(
    "whose connection breaks %s gets a call again only where its settings allow it",
    async (_, moment) => {
      await using servers = await countingRemotes(moment);
      const lost = ({ manner, tool }: Case): Received =>
        isResent(manner, tool) ? { received: 2, kind: "output" } : { received: 1, kind: "unavailable" };
      await expectOfAll(servers, lost, (server, tool) => server.call(tool));
    },
  );

  test.each(Object.entries(REFUSALS))("that answers with %s gets no call again", async (_, moment) => {
    await using servers = await countingRemotes(moment);
    await expectOfAll(
      servers,
      () => ({ received: 1, kind: expect.stringMatching(/failed|unavailable/) }),
      (server, tool) => server.call(tool),
    );
  });

  test("that lost its session was not called yet: it gets the call once, in a new one", async () => {
    await using servers = await countingRemotes(() => {});
    const unsent = ({ manner }: Case): Received =>
      manner.retry === "never" ? { received: 0, kind: "unavailable" } : { received: 1, kind: "output" };
    await expectOfAll(servers, unsent, async (server, tool) => {
      await it.up.upstream.test(nameOf(server.manner));
      server.forgetSessions();
      return await server.call(tool, { moment: "none" });
    });
  });
});

interface Case {
  readonly manner: Manner;
  readonly tool: ToolName;
}

interface Counted {
  readonly manner: Manner;
}

/** The servers at the same time, the tools of each one after the other. */
async function expectOfAll<S extends Counted>(
  servers: Iterable<S>,
  expected: (one: Case) => Received,
  attempt: (server: S, tool: ToolName) => Promise<Received>,
): Promise<void> {
  const rows = await Promise.all(
    [...servers].map(async (server) => {
      const rows = [];
      for (const tool of TOOLS) {
        const one = { manner: server.manner, tool };
        rows.push({
          got: { ...one, ...(await attempt(server, tool)) },
          wanted: { ...one, ...expected(one) },
        });
      }
      return rows;
    }),
  );
  expect(rows.flat().map(({ got }) => got)).toEqual(rows.flat().map(({ wanted }) => wanted));
}

/** One server of `servers/counting.mjs`, which writes down every call that it gets, for each manner. */
async function countingServers(manners = MANNERS): Promise<LocalServer[] & AsyncDisposable> {
  const folder = await tempHome();
  const servers = await Promise.all(
    manners.map(async (manner) => {
      const file = join(folder.path, nameOf(manner));
      const script = join(import.meta.dirname, "../support/servers/counting.mjs");
      await it.add(nameOf(manner), { ...manner, command: process.execPath, args: [script, file] });
      return new LocalServer(manner, file);
    }),
  );
  return Object.assign(servers, { [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() });
}

class LocalServer implements Counted {
  readonly manner: Manner;
  readonly #file: string;
  #losses = 0;

  constructor(manner: Manner, file: string) {
    this.manner = manner;
    this.#file = file;
  }

  async call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Received> {
    const nonce = crypto.randomUUID();
    await usable(this.manner);
    this.#losses = this.#lost();
    const kind = await kindOf(this.manner, tool, { ...args, nonce }, signal);
    const lines = (await readFile(this.#file, "utf8").catch(() => "")).split("\n");
    return { received: lines.filter((line) => line === nonce).length, kind };
  }

  async pid(tool: "pid" | "deafen"): Promise<number> {
    await usable(this.manner);
    return Number(said(await it.up.call(`mcp_${nameOf(this.manner)}_${tool}`)));
  }

  /** Since the last call. */
  async deathNoticed(): Promise<void> {
    await waitUntil("its death was noticed", () => this.#lost() > this.#losses);
  }

  #lost(): number {
    const own = it.up.states.filter(({ server }) => server === nameOf(this.manner));
    return own.filter(({ state }) => state === "unavailable").length;
  }
}

/** The same over HTTP; the first try of each call ends at the `moment`, the second is answered. */
async function countingRemotes(
  moment: (exchange: Exchange) => void,
): Promise<CountingRemote[] & AsyncDisposable> {
  const servers = await Promise.all(
    MANNERS.map(async (manner) => {
      const calls = new Map<unknown, number>();
      const server = legacyHttp(ANNOTATED, {
        "tools/call": (exchange) => {
          const { nonce, moment: when } = exchange.params.arguments;
          const times = (calls.get(nonce) ?? 0) + 1;
          calls.set(nonce, times);
          return times > 1 || when === "none" ? saying("answered") : moment(exchange);
        },
      });
      const remote = await remoteServer(server);
      await it.add(nameOf(manner), { ...manner, url: remote.url });
      return new CountingRemote(manner, calls, server, remote);
    }),
  );
  return Object.assign(servers, {
    async [Symbol.asyncDispose]() {
      for (const { remote } of servers) await remote[Symbol.asyncDispose]();
    },
  });
}

class CountingRemote implements Counted {
  readonly manner: Manner;
  readonly remote: RemoteServer;
  readonly #calls: ReadonlyMap<unknown, number>;
  readonly #server: LegacyHttp;

  constructor(manner: Manner, calls: ReadonlyMap<unknown, number>, server: LegacyHttp, remote: RemoteServer) {
    this.manner = manner;
    this.remote = remote;
    this.#calls = calls;
    this.#server = server;
  }

  async call(tool: string, args: Record<string, unknown> = {}): Promise<Received> {
    const nonce = crypto.randomUUID();
    await usable(this.manner);
    const kind = await kindOf(this.manner, tool, { ...args, nonce });
    return { received: this.#calls.get(nonce) ?? 0, kind };
  }

  forgetSessions(): void {
    this.#server.forgetSessions();
  }
}

const ANNOTATED = [
  { name: "plain" },
  { name: "reads", annotations: { readOnlyHint: true } },
  { name: "idempotent", annotations: { idempotentHint: true } },
];

async function kindOf(
  manner: Manner,
  tool: string,
  args: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<string> {
  const result = await it.up.call(`mcp_${nameOf(manner)}_${tool}`, args, signal ? { signal } : {});
  if (result.kind === "output") expect(said(result)).toBe("answered");
  return result.kind;
}

function nameOf({ retry, trusted }: Manner): string {
  return `${retry}_${trusted ? "trusted" : "untrusted"}`;
}

async function usable(manner: Manner): Promise<void> {
  const isActive = () => it.up.tool(`mcp_${nameOf(manner)}_plain`).status().kind === "active";
  if (!isActive()) await waitUntil("it can be called", isActive);
}

/** Its files are open until the last of its threads is gone. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const isOver = /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
    return !isOver || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}
