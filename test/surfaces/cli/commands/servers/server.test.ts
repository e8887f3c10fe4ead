import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkServers } from "../../../../../src/features/admin/check-servers.ts";
import { openServerTables } from "../../../../../src/servers/tables/server-tables.ts";
import { inDeep, suiteInDeep } from "../../../../support/length.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";
import { fixture } from "../../../../support/upstream.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

interface Typing {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly signal?: AbortSignal;
  readonly onOut?: (text: string) => void;
}

/** Commands as typed, against the routes of a real hub. */
async function typing(setup: Parameters<typeof testApi>[0] = {}) {
  const api = await testApi(setup);
  return {
    api,
    type: (args: readonly string[], { env = {}, input = "", signal, onOut }: Typing = {}) =>
      typed(api, args, {
        env: { ...env, TOOLKEEP_URL: "http://127.0.0.1:1", TOOLKEEP_TOKEN: "unused" },
        read: async () => input,
        ...(signal ? { signal } : {}),
        ...(onOut ? { out: onOut } : {}),
      }),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const OFF = ["server", "add", "s", "--no-test"];
const SECRET = "canary-typed-secret";

suiteInDeep("a tool that nobody can use", () => {
  it("is in server show, doctor and the API, with the reason", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", fixture("lists one that is too large"));
    await it.api.hub.upstream.settled();
    const { body } = await it.api.request("GET", "/api/servers/s");
    expect(body.server.leftOut).toEqual([{ name: "huge", reason: "its definition is larger than 256 kB" }]);
    const line = "1 tool left out: its definition is larger than 256 kB (huge)";
    expect((await it.type(["server", "show", "s"])).out).toMatch(
      new RegExp(`^left out: +${line.replace(/[()]/g, "\\$&")}$`, "m"),
    );
    const [check] = await checkServers(it.api.hub.upstream.servers(), process.env);
    expect(check).toMatchObject({ name: "server s", state: "warning", detail: line });
  });
});

describe("toolkeep server add", () => {
  it("takes everything a server can have", async () => {
    await using it = await typing();
    await writeFile(join(it.api.home, "secret.txt"), `${SECRET}\n`);
    const { code, err } = await it.type([
      ...OFF,
      ...["--url", "https://x.example/mcp", "--connect", "lazy", "--keep-alive", "--retry", "never"],
      ...[
        "--timeout",
        "30s",
        "--connect-timeout",
        "5s",
        "--progress-extends-timeout",
        "--max-concurrency",
        "3",
      ],
      ...[
        "--oauth-client-id",
        "me",
        "--oauth-client-secret",
        "@secret.txt",
        "--oauth-grant",
        "client_credentials",
      ],
      ...[
        "--oauth-scope",
        "read",
        "--oauth-scope",
        "write",
        "--oauth-metadata-url",
        "https://me.example/client",
      ],
      ...["--tls-cert", "/c.pem", "--tls-key", "/k.pem", "--tls-ca", "/ca.pem"],
    ]);
    expect([code, err]).toEqual([0, ""]);
    expect(it.api.hub.upstream.server("s")).toMatchObject({
      keepAlive: true,
      retry: "never",
      timeoutMs: 30_000,
      connectTimeoutMs: 5_000,
      progressExtendsTimeout: true,
      maxConcurrency: 3,
      oauth: { grant: "client_credentials", clientId: "me", hasSecret: true, scope: "read write" },
      tls: { cert: "/c.pem", key: "/k.pem", ca: "/ca.pem" },
    });
    expect(it.api.hub.vault.redact(SECRET)).toBe("[redacted]");
  });

  it("takes a secret from standard input, and a variable from this shell", async () => {
    await using it = await typing();
    const env = { FROM_HERE: SECRET };
    await it.type([...OFF, "--env", "FROM_HERE", "--env", "B=2=3", "--", "false"], { env });
    expect(it.api.hub.upstream.server("s").envKeys).toEqual(["FROM_HERE", "B"]);
    await it.type(
      ["server", "add", "t", "--no-test", "--url", "https://x.example/mcp", "--oauth-client-secret", "-"],
      {
        input: "another-canary-secret\n",
      },
    );
    expect(it.api.hub.upstream.server("t").oauth).toMatchObject({ hasSecret: true });
    expect(it.api.hub.vault.redact(`${SECRET} another-canary-secret`)).toBe("[redacted] [redacted]");
  });

  it("asks nobody where nobody is, and says so", async () => {
    await using it = await typing();
    const { code, err } = await it.type([
      ...OFF,
      "--header",
      "Authorization",
      "--url",
      "https://x.example/mcp",
    ]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("cannot ask without a terminal; give --header Authorization a value"),
    ]);
    expect(it.api.hub.upstream.servers()).toEqual([]);
  });

  const REMOTE = ["--url", "https://x.example/mcp"];

  it("takes a header as it is usually written", async () => {
    await using it = await typing();
    const header = ["--header", `Authorization: Bearer ${SECRET}`, "--header", "X-Plain=a: b=c"];
    const { code, out, err } = await it.type([...OFF, ...REMOTE, ...header]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).not.toContain(SECRET);
    expect(it.api.hub.upstream.server("s").headerKeys).toEqual(["Authorization", "X-Plain"]);
    expect(it.api.hub.vault.redact(`<Bearer ${SECRET}>`)).not.toContain(SECRET);
  });

  it.each([
    [["--header", `X Y=${SECRET}`, ...REMOTE], "expected a header name"],
    [["--header", `Bearer ${SECRET}`, ...REMOTE], "expected a header name"],
    [["--env", `A B=${SECRET}`, "--", "false"], "expected a variable name"],
    [["--env", `TOKEN: ${SECRET}`, "--", "false"], "expected a variable name"],
    [["--env", `TOKEN:${SECRET}`, "--", "false"], "expected a variable name"],
    [["--header", `X=${SECRET}`, "--", "false"], "--header only works with --url"],
    [["--env", `X=${SECRET}`, ...REMOTE], "--env only works with a command"],
    [["--max-concurrency", "0", "--", "false"], "--max-concurrency must be a whole number from 1 to 1000"],
  ])("refuses %j without repeating a value", async (args, message) => {
    await using it = await typing();
    const { code, out, err } = await it.type([...OFF, ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(out + err).not.toContain(SECRET);
    expect(it.api.hub.upstream.servers()).toEqual([]);
  });

  it("says in the help what can be given more than once, and shows no empty list", async () => {
    await using it = await typing();
    for (const command of ["add", "edit"]) {
      const { out: help } = await it.type(["server", command, "--help"]);
      expect(help).toContain("(repeatable)");
      expect(help).not.toContain("default: []");
    }
  });

  it("groups its options in the help", async () => {
    await using it = await typing();
    const { out: help } = await it.type(["server", "add", "--help"]);
    expect(help).toMatch(
      /Options:[\s\S]*--env[\s\S]*Timeouts and lifecycle:[\s\S]*--keep-alive[\s\S]*Signing in[\s\S]*--tls-ca/,
    );
  });
});

describe("toolkeep server edit", () => {
  inDeep("changes the variables and headers it names and keeps the others", async () => {
    await using it = await typing();
    const env = { KEPT: "kept-value", CHANGED: "old", GONE: "gone" };
    await it.api.hub.upstream.add("s", { ...fixture("shows its environment"), env });
    await it.type([
      "server",
      "edit",
      "s",
      "--env",
      "CHANGED=new",
      "--env",
      "MORE=more",
      "--unset-env",
      "GONE",
    ]);
    await it.api.hub.upstream.settled();
    await waitUntil("its tool is known", () => it.api.hub.catalog.get("mcp_s_env") !== undefined);
    const seen = JSON.parse((await it.api.call("mcp_s_env")).text);
    expect(seen).toMatchObject({ CHANGED: "new", MORE: "more" });
    expect(it.api.hub.upstream.server("s").envKeys).toEqual(["KEPT", "CHANGED", "MORE"]);
    expect(seen.GONE).toBeUndefined();
  });

  it("takes back what was set", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", {
      url: "https://x.example/mcp",
      enabled: false,
      keepAlive: true,
      progressExtendsTimeout: true,
      trusted: true,
      oauth: { clientId: "me", clientSecret: SECRET },
      tls: { ca: "/ca.pem" },
    });
    const off = [
      "--no-keep-alive",
      "--no-progress-extends-timeout",
      "--no-trusted",
      "--no-oauth",
      "--no-tls",
    ];
    await it.type(["server", "edit", "s", ...off]);
    expect(it.api.hub.upstream.server("s")).toMatchObject({
      keepAlive: false,
      progressExtendsTimeout: false,
      trusted: false,
      oauth: null,
      tls: null,
    });
  });

  it("refuses to take out what is not there, and what cannot apply", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", { command: "false", env: { A: "1" }, enabled: false });
    for (const [args, message] of [
      [["--unset-env", "NOPE"], "--unset-env: s has no such variable; it has A"],
      [["--unset-header", "X"], "--unset-header: s has no such header; it has none"],
      [["--header", "X=1"], "--header only works with --url"],
    ] as const) {
      const { code, err } = await it.type(["server", "edit", "s", ...args]);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(it.api.hub.upstream.server("s").envKeys).toEqual(["A"]);
  });

  it("leaves what was not named alone", async () => {
    await using it = await typing();
    const oauth = { clientId: "me", clientSecret: SECRET };
    await it.api.hub.upstream.add("s", {
      url: "https://x.example/mcp",
      enabled: false,
      keepAlive: true,
      oauth,
    });
    await it.type(["server", "edit", "s", "--oauth-scope", "read"]);
    expect(it.api.hub.upstream.server("s")).toMatchObject({
      keepAlive: true,
      oauth: { clientId: "me", hasSecret: true, scope: "read" },
    });
    expect(await it.type(["server", "edit", "s"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("nothing to change; give"),
    });
  });
});

describe("toolkeep server show", () => {
  it("shows what is unusual and what to do, and no secret", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add(
      "s",
      {
        url: "https://x.example/mcp",
        keepAlive: true,
        retry: "once",
        connect: "eager",
        maxConcurrency: 1,
        oauth: { clientId: "me", clientSecret: SECRET, scope: "a" },
      },
      { addedBy: "scout" },
    );
    const { out } = await it.type(["server", "show", "s"]);
    expect(out).toMatch(/next step: +toolkeep server approve s, or toolkeep server remove s\n/);
    expect(out).toMatch(/signs in: +by a person, as me, with a secret, for a\n/);
    expect(out).toMatch(/keep alive: +yes\n/);
    expect(out).toMatch(/retries: +any call, once\n/);
    expect(out).toMatch(/concurrency: +1 call\n/);
    expect(out).toMatch(/connects: +at start\n/);
    expect(out).not.toContain(SECRET);
  });

  it("shows the beginning of long instructions, and all of them to programs", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", { command: "false", enabled: false });
    const row = (await openServerTables(it.api.hub.store.database).servers.byName("s"))!;
    await openServerTables(it.api.hub.store.database).servers.update(row.id, {
      instructions: "word\n".repeat(300),
    });
    await it.api.hub.upstream.reload();
    const { out } = await it.type(["server", "show", "s"]);
    expect(/instructions: +(.*)/.exec(out)?.[1]).toMatch(/^(word ){39}word…$/);
    expect((await it.type(["server", "show", "s", "--json"])).out).toContain("word\\n".repeat(300));
  });

  inDeep("C12: tries a server out before it is registered, and keeps nothing of it", async () => {
    await using it = await typing();
    const { command, args } = fixture("echoes");
    const tried = await it.type(["server", "test", "new", "--timeout", "9500ms", "--", command!, ...args!]);
    expect(tried).toMatchObject({ code: 0, out: expect.stringMatching(/^new works: 1 tool in \d+ ms\.\n/) });
    expect(tried.out).toContain("Register it: toolkeep server add new …");
    const failed = await it.type(["server", "test", "new", "--url", "http://127.0.0.1:1/mcp"]);
    expect(failed).toMatchObject({ code: 1, out: expect.stringMatching(/^new does not work/) });
    expect((await it.type(["server", "test", "new", "--env", "A=1"])).code).toBe(2);
    expect(it.api.hub.upstream.servers()).toEqual([]);
  });

  it("sends nobody to the logs of a server that never started", async () => {
    await using it = await typing();
    await it.type(["server", "add", "s", "--", "no-such-command --here"]);
    const { out } = await it.type(["server", "show", "s"]);
    expect(out).toMatch(/next step: +fix it: toolkeep server edit s …\n/);
    expect(out).toContain("on the daemon's PATH: give the command and its arguments separately");
    expect((await it.type(["server", "test", "s"])).out).not.toContain("server logs");
  });

  it("is silent about what is as usual", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", { command: "false", enabled: false });
    expect((await it.type(["server", "show", "s"])).out).not.toMatch(
      /retries|concurrency|connects|keep alive|next step/,
    );
  });
});

describe("toolkeep server list", () => {
  it("says what waits for a person", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("mine", { command: "false", enabled: false });
    await it.api.hub.upstream.add("s", { command: "false" }, { addedBy: "scout" });
    const { out } = await it.type(["server", "list"]);
    expect(out.trim().split("\n")).toHaveLength(4);
    expect(out).toMatch(/\ns: toolkeep server approve s, or toolkeep server remove s\n$/);
  });
});

suiteInDeep("toolkeep server approve", () => {
  it("says what it approved", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", { command: "npx", args: ["some-server"] }, { addedBy: "scout" });
    const { out, code } = await it.type(["server", "approve", "s"]);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining("Approved s, reached by npx some-server; it is"),
    ]);
  });
});

describe("toolkeep server approve, of a server that does not wait", () => {
  it("says so and changes nothing", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", { command: "false", enabled: false });
    const before = it.api.hub.upstream.server("s");
    const { out, code } = await it.type(["server", "approve", "s"]);
    expect([code, out]).toEqual([0, "s is not waiting for approval.\n"]);
    expect(it.api.hub.upstream.server("s")).toEqual(before);
  });
});

suiteInDeep("a server that is disabled", () => {
  it("is so in one sentence, and a test of it says that calls are refused", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("s", fixture("echoes"));
    expect((await it.type(["server", "disable", "s"])).out).toBe("Disabled s.\n");
    expect((await it.type(["server", "test", "s"])).out).toMatch(
      /^s works: .*\nIt is disabled, so calls are refused. Enable it: toolkeep server enable s\n$/,
    );
  });
});

suiteInDeep("toolkeep server logs", () => {
  it("shows the last lines, safe for a terminal", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("junk", fixture("prints junk"));
    await it.api.hub.upstream.settled();
    const { out } = await it.type(["server", "logs", "junk"]);
    expect(out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}state +connecting$/m);
    expect(out).toMatch(/junk/);
    expect((await it.type(["server", "logs", "junk", "--lines", "1"])).out.trim().split("\n")).toHaveLength(
      1,
    );
    expect(JSON.parse((await it.type(["server", "logs", "junk", "--json"])).out)).toHaveProperty("cursor");
    expect(await it.type(["server", "logs", "junk", "--lines", "0"])).toMatchObject({ code: 2 });
  });

  it("follows until Ctrl-C, one JSON entry a line", async () => {
    await using it = await typing();
    await it.api.hub.upstream.add("echo", fixture("echoes"));
    await it.api.hub.upstream.settled();
    const stop = new AbortController();
    let seen = "";
    const following = it.type(["server", "logs", "echo", "--follow", "--json"], {
      signal: stop.signal,
      onOut: (text) => {
        seen += text;
      },
    });
    await waitUntil("the first lines are shown", () => seen.includes('"ready"'));
    await it.api.hub.upstream.update("echo", { enabled: false });
    await waitUntil("a later line is shown", () => seen.includes('"disabled"'));
    stop.abort();
    expect((await following).code).toBe(0);
    const entries = seen
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).seq);
    expect(entries).toEqual([...new Set(entries)].sort((a, b) => a - b));
  });
});

suiteInDeep("the sandbox of a server", () => {
  it("is given, shown, changed in part, and refused for an address", async () => {
    await using it = await typing();
    const show = async () => (await it.type(["server", "show", "s"])).out;
    const limits = [
      "--sandbox-memory",
      "500",
      "--sandbox-processes",
      "40",
      "--sandbox-cpu",
      "9",
      "--sandbox-file",
      "7",
    ];
    const paths = ["--sandbox-read", "/usr", "--sandbox-write", "/tmp", "--no-sandbox-network"];
    expect((await it.type([...OFF, "--sandbox", "auto", ...paths, ...limits, "--", "node", "x"])).code).toBe(
      0,
    );
    expect(await show()).toContain(
      "auto; no network; reads /usr; writes /tmp; 500 MiB of memory per process; at most 40 processes; 9 s of CPU per process; files up to 7 MiB",
    );
    const change = ["--sandbox", "--sandbox-network", "--sandbox-memory", "none", "--sandbox-cpu", "none"];
    await it.type(["server", "edit", "s", ...change]);
    expect(await show()).toContain(
      "required; reads /usr; writes /tmp; at most 40 processes; files up to 7 MiB",
    );
    expect((await it.type(["server", "edit", "s", "--sandbox-memory", "1"])).err).toContain("from 16 to");
    const remote = await it.type([
      "server",
      "add",
      "r",
      "--no-test",
      "--url",
      "https://x.example",
      "--sandbox",
    ]);
    expect(remote.err).toContain("--sandbox only works with a command");
    for (const sandbox of [true, "auto", null])
      expect((await it.api.request("PATCH", "/api/servers/s", { sandbox })).status).toBe(200);
    expect(await show()).not.toContain("sandbox");
  });
});
