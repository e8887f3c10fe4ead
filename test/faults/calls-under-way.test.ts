import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../src/contract/tool.ts";
import type { ServerInput } from "../../src/servers/contract.ts";
import { type RemoteServer, remoteServer } from "../support/remote-server.ts";
import { legacyHttp, said as saying } from "../support/servers/legacy-http.ts";
import { oauthServers } from "../support/servers/oauth.ts";
import { said, type TestUpstream, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

const TOOLS = ["slow", "quick", "cut"].map((name) => ({ name, inputSchema: { type: "object" } }));

/** A server over HTTP whose tool `slow` answers when it is told to, and what happens to it meanwhile. */
interface Slow {
  readonly up: TestUpstream;
  readonly remote: RemoteServer;
  /** Says that the tool list has changed. */
  announce(): void;
  /** From now on lists are refused. */
  refuseLists(): void;
  readonly lists: () => number;
}

/** What happens beside a call and is not about it. */
const TRIGGERS: Record<string, (slow: Slow) => Promise<unknown>> = {
  "settings are read again and say the same": ({ up }) => up.upstream.apply({ ...up.settings }),
  "another process changed the lists": ({ up }) => up.upstream.reload(),
  "its timeout is changed": ({ up }) => up.upstream.update("one", { timeoutMs: 77_000 }),
  "a header is changed": ({ up }) => up.upstream.update("one", { headers: { "x-key": "another" } }),
  "its address is changed": ({ up, remote }) => up.upstream.update("one", { url: `${remote.url}?new` }),
  "its secret is rotated": async ({ up }) => {
    await up.vault.put("KEY", "rotated-value");
    await up.upstream.test("one");
  },
  "it is tested": async ({ up }) => {
    expect(await up.upstream.test("one")).toMatchObject({ ok: true });
  },
  "it is tested three times at once": async ({ up }) => {
    const reports = await Promise.all([1, 2, 3].map(() => up.upstream.test("one")));
    expect(reports.map(({ ok }) => ok)).toEqual([true, true, true]);
  },
  "a test is given up": async ({ up }) => {
    const giveUp = new AbortController();
    const report = up.upstream.test("one", { signal: giveUp.signal });
    giveUp.abort();
    await report;
  },
  "its list is fetched again": async ({ announce, lists }) => {
    const before = lists();
    announce();
    await waitUntil("the list is fetched", () => lists() > before);
  },
  "its list cannot be fetched": async ({ up, announce, refuseLists }) => {
    refuseLists();
    announce();
    await waitUntil("that was noticed", () => up.warnings.some((each) => each.includes("tool list")));
  },
  "another call loses its connection": async ({ up }) => {
    expect(await up.call("mcp_one_cut")).toMatchObject({ kind: "unavailable" });
  },
  "the time for which a server may rest is over": async ({ up }) => {
    await up.call("mcp_one_quick");
    await new Promise((resolve) => setTimeout(resolve, 100));
  },
  "other servers come and go": async ({ up, remote }) => {
    await up.upstream.add("two", { url: remote.url });
    await up.upstream.remove("two");
  },
};

describe("a call under way is answered although", () => {
  test.each(Object.keys(TRIGGERS))("%s", async (trigger) => {
    await using up = await testUpstream({ idleMs: 20, backoffMs: [50] });
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let stream: ServerResponse | undefined;
    let isRefusing = false;
    let lists = 0;
    let isUnderWay = false;
    await using remote = await remoteServer(
      legacyHttp(TOOLS, {
        "tools/call": async ({ params, response }) => {
          if (params.name === "cut") return void response.destroy();
          if (params.name === "slow") {
            isUnderWay = true;
            await released;
          }
          return saying(`${params.name} was called`);
        },
        "tools/list": ({ response }) => {
          lists++;
          return isRefusing ? void response.writeHead(500).end() : { tools: TOOLS };
        },
        GET: ({ response }) => {
          stream = response;
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(": here\n\n");
        },
      }),
    );
    await up.vault.put("KEY", "first-value");
    await add(up, { url: remote.url, headers: { "x-key": "{{secret:KEY}}" } });

    const call = up.call("mcp_one_slow");
    await waitUntil("the call is under way", () => isUnderWay);
    await waitUntil("the server can announce", () => stream !== undefined);
    await TRIGGERS[trigger]!({
      up,
      remote,
      announce: () => {
        const message = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
        stream!.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      },
      refuseLists: () => {
        isRefusing = true;
      },
      lists: () => lists,
    });
    isRefusing = false;
    release!();

    expect(said(await call)).toBe("slow was called");
    await waitUntil(
      "the next call is answered",
      async () => (await up.call("mcp_one_quick")).kind === "output",
    );
  });

  test.each(["the token is renewed", "a person signs in again"])("%s", async (trigger) => {
    await using up = await testUpstream();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isUnderWay = false;
    await using remote = await oauthServers({
      holdCall: async (name) => {
        if (name !== "admin") return;
        isUnderWay = true;
        await released;
      },
    });
    const signIn = async () => {
      const redirectUri = "http://127.0.0.1:19850/oauth/callback";
      const { url } = await up.upstream.beginSignIn("one", { redirectUri });
      await up.upstream.completeSignIn((await remote.visit(url!)).searchParams);
      await up.upstream.settled();
    };
    await add(up, { url: remote.url });
    await signIn();
    const call = up.call("mcp_one_admin");
    await waitUntil("the call is under way", () => isUnderWay);

    if (trigger === "the token is renewed") {
      remote.expireTokens();
      expect(said(await up.call("mcp_one_hello"))).toBe("hello was called");
    } else await signIn();
    release();

    expect(said(await call)).toBe("admin was called");
  });
});

describe("a call that waits for its server is answered although", () => {
  const WAITING: Record<string, (up: TestUpstream, url: string) => Promise<unknown>> = {
    "the server is tested": (up) => up.upstream.test("one"),
    "a test is given up": async (up) => {
      const giveUp = new AbortController();
      const report = up.upstream.test("one", { signal: giveUp.signal });
      await new Promise((resolve) => setImmediate(resolve));
      giveUp.abort();
      await report;
    },
    "its address is changed": (up, url) => up.upstream.update("one", { url: `${url}?new` }),
  };

  test.each(Object.keys(WAITING))("%s", async (trigger) => {
    await using up = await testUpstream();
    let holdsBack = false;
    let waiting = 0;
    const open: (() => void)[] = [];
    const inner = legacyHttp(TOOLS, { "tools/call": () => saying("it was called") });
    await using remote = await remoteServer(async (request, response) => {
      if (holdsBack) {
        waiting++;
        await new Promise<void>((resolve) => open.push(resolve));
      }
      inner(request, response);
    });
    await add(up, { url: remote.url });
    await up.restart();
    holdsBack = true;
    const call = up.call("mcp_one_quick");
    await waitUntil("the server is being connected to", () => waiting > 0);

    const happening = WAITING[trigger]!(up, remote.url);
    holdsBack = false;
    for (const each of open) each();
    await happening;

    expect(said(await call)).toBe("it was called");
  });
});

test.each<[string, (up: TestUpstream) => Promise<unknown>]>([
  ["removed", (up) => up.upstream.remove("one")],
  ["disabled", (up) => up.upstream.update("one", { enabled: false })],
  ["closed with Toolkeep", (up) => up.upstream.close()],
])("a call under way ends when its server is %s, also one on a former connection", async (_, end) => {
  await using up = await testUpstream();
  let underWay = 0;
  await using remote = await remoteServer(legacyHttp(TOOLS, { "tools/call": () => void underWay++ }));
  await add(up, { url: remote.url });
  const former = up.call("mcp_one_slow");
  await waitUntil("the first is under way", () => underWay === 1);
  await up.upstream.test("one");
  const current = up.call("mcp_one_slow");
  await waitUntil("the second is under way", () => underWay === 2);

  await end(up);

  const ends: ToolResult[] = await Promise.all([former, current]);
  expect(ends.map(({ kind }) => kind)).toEqual(["unavailable", "unavailable"]);
});

async function add(up: TestUpstream, input: ServerInput): Promise<void> {
  await up.upstream.add("one", { retry: "never", ...input });
  await up.upstream.settled();
}
