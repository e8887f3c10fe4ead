import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { Background, type ListableServer } from "../../../src/servers/lifecycle/background.ts";
import type { Gate } from "../../../src/servers/lifecycle/definition.ts";
import { testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** Everything that can happen by itself has happened. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Servers whose connections are open until the test lets them go. */
function heldServers() {
  const open: (() => void)[] = [];
  const seen = { begun: 0, rested: 0 };
  const server = (kind: Gate["kind"] = "open"): ListableServer => ({
    definition: { gate: { kind } },
    ensureConnected: () => {
      seen.begun++;
      return new Promise<void>((resolve) => open.push(resolve));
    },
    waitForOffers: async () => {},
    disconnectUnlessUsed: async () => void seen.rested++,
  });
  return { server, seen, letGo: () => open.shift()?.() };
}

describe("what is learned in the background", () => {
  it("takes four connections at once, and the next one when one of them has ended", async () => {
    const background = new Background();
    const { server, seen, letGo } = heldServers();
    for (let n = 0; n < 11; n++) background.fetchLists(server());
    for (let ended = 0; ended <= 7; ended++) {
      await settle();
      expect(seen.begun).toBe(4 + ended);
      letGo();
    }
    for (let n = 0; n < 3; n++) letGo();
    await background.waitUntilDone();
    expect(seen.begun).toBe(11);
    // The last four may stay for whoever uses them first.
    expect(seen.rested).toBe(7);
  });

  it("begins with nothing that is not open, and with nothing more once it is stopped", async () => {
    const background = new Background();
    const { server, seen, letGo } = heldServers();
    background.fetchLists(server("pending_approval"));
    for (let n = 0; n < 6; n++) background.fetchLists(server());
    await settle();
    expect(seen.begun).toBe(4);
    background.stop();
    for (let n = 0; n < 4; n++) letGo();
    await background.waitUntilDone();
    expect(seen.begun).toBe(4);
  });
});

it("servers that are registered together are connected to four at a time, and nobody waits for it", async () => {
  const open = new Map<string, ServerResponse>();
  const seen = new Set<string>();
  let most = 0;
  const http = createServer((req, res) => {
    const path = req.url ?? "";
    open.set(path, res);
    seen.add(path);
    most = Math.max(most, open.size);
    res.once("close", () => open.get(path) === res && open.delete(path));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  try {
    await using up = await testUpstream();
    const paths = Array.from({ length: 10 }, (_, n) => `/${n}`);
    for (const path of paths)
      await up.upstream.add(`s${path.slice(1)}`, { url: `http://127.0.0.1:${port}${path}` });
    await waitUntil("four are connected to", () => open.size === 4);
    await waitUntil("all were connected to", () => {
      const [path, res] = [...open][0] ?? [];
      if (path !== undefined) open.delete(path);
      res?.writeHead(404).end();
      return seen.size === paths.length;
    });
    expect(most).toBe(4);
  } finally {
    http.closeAllConnections();
    http.close();
  }
});
