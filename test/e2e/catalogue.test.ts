import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CatalogueServer,
  catalogueServers,
  type MeasuredDaemon,
  missingCatalogue,
  registerCatalogue,
  replayOverHttp,
  scratchHome,
  startDaemon,
} from "../../bench/support/catalogue.mjs";
import { connectClient } from "../support/connect-client.ts";

const missing = missingCatalogue();
if (missing !== undefined) console.log(`The catalogue is left out: ${missing}.`);

/** The bars are 1.5 times and 60 MB (`npm run bench -- catalogue`); few starts on a busy machine need some room. */
const START_RATIO = 2;
const EXTRA_RSS_MB = 80;
const ROUNDS = 3;
/** As many are processes of their own; the others are reached over HTTP: starting each takes ten seconds of both processors. */
const PROCESSES = 12;

describe.skipIf(missing !== undefined)(
  "a daemon with the public catalogue registered",
  { timeout: 60_000 },
  () => {
    let full: Awaited<ReturnType<typeof scratchHome>>;
    let empty: Awaited<ReturnType<typeof scratchHome>>;
    let replay: Awaited<ReturnType<typeof replayOverHttp>>;
    let token: string;
    const servers = missing === undefined ? catalogueServers() : [];
    const isProcess = (name: string) => servers.slice(0, PROCESSES).some((server) => server.name === name);
    const toolCount = servers.reduce((sum, server) => sum + server.tools, 0);

    beforeAll(async () => {
      [full, empty] = await Promise.all([scratchHome(), scratchHome()]);
      replay = await replayOverHttp();
      const urlOf = (server: CatalogueServer) => (isProcess(server.name) ? undefined : replay.of(server));
      ({ token } = await registerCatalogue(full.path, urlOf));
    }, 180_000);

    afterAll(() => Promise.all([full?.remove(), empty?.remove(), replay?.close()]));

    it("has every server and lists every tool, at both surfaces, with no child process", async () => {
      await withDaemon(full.path, async (daemon) => {
        const registered = (await daemon.api("GET", "/servers")).servers;
        expect(registered).toHaveLength(servers.length);
        expect(registered.every(({ state }: { state: string }) => state === "idle")).toBe(true);
        expect(ofServers((await daemon.api("GET", "/tools")).tools)).toHaveLength(toolCount);
        await using connected = await connectClient(daemon.url, token);
        expect(ofServers((await connected.client.listTools()).tools)).toHaveLength(toolCount);
        expect(await daemon.descendants()).toEqual([]);
      });
    });

    it("starts in little more time and memory than with no server registered", async () => {
      await measure(empty.path); // the first start of a home does more than every later one
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push({ none: await measure(empty.path), all: await measure(full.path) });
      }
      const ratio = middle(rounds.map(({ none, all }) => all.readyMs / none.readyMs));
      const extraMb = middle(rounds.map(({ none, all }) => (all.rssBytes - none.rssBytes) / 2 ** 20));
      expect(ratio).toBeLessThan(START_RATIO);
      expect(extraMb).toBeLessThan(EXTRA_RSS_MB);
      expect(rounds.flatMap(({ all }) => all.descendants)).toEqual([]);
    });

    it("starts one server, and only that, when one of its tools is called", async () => {
      await withDaemon(full.path, async (daemon) => {
        await using connected = await connectClient(daemon.url, token);
        const { tools } = await daemon.api("GET", "/tools");
        const ofProcesses = (tools as Registered[]).filter(({ origin }) => isProcess(origin.slice(4)));
        const names = new Set(ofProcesses.map(({ name }) => name));
        const listed = (await connected.client.listTools()).tools;
        const tool = listed.find((one) => names.has(one.name) && takesNothing(one));
        const result = await connected.client.callTool({ name: tool!.name, arguments: {} });
        expect(JSON.stringify(result.content)).toContain("was called");
        const states = (await daemon.api("GET", "/servers")).servers.map(
          ({ state }: { state: string }) => state,
        );
        expect(states.filter((state: string) => state !== "idle")).toEqual(["ready"]);
        expect(await daemon.descendants()).not.toEqual([]);
      });
    });
  },
);

interface Listed {
  readonly name: string;
  readonly inputSchema?: unknown;
}

interface Registered {
  readonly name: string;
  /** `mcp:` and the server's name. */
  readonly origin: string;
}

function ofServers<T extends Listed>(tools: readonly T[]): T[] {
  return tools.filter(({ name }) => name.startsWith("mcp_"));
}

function takesNothing({ inputSchema }: Listed): boolean {
  return (inputSchema as { required?: unknown[] }).required === undefined;
}

async function measure(home: string) {
  return await withDaemon(home, async (daemon) => {
    await delay(500); // whatever a daemon does after its start is done by then
    return {
      readyMs: daemon.readyMs,
      rssBytes: await daemon.rssBytes(),
      descendants: await daemon.descendants(),
    };
  });
}

async function withDaemon<T>(home: string, work: (daemon: MeasuredDaemon) => Promise<T>): Promise<T> {
  const daemon = await startDaemon(home);
  try {
    return await work(daemon);
  } finally {
    await daemon.stop();
  }
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
