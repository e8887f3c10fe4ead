import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Progress } from "../../src/contract/tool.ts";
import { inDeep } from "../support/length.ts";
import { living } from "../support/living.ts";
import { pidsIn } from "../support/pids-in.ts";
import { tempHome } from "../support/temp-home.ts";
import { EVERYTHING, filesystem } from "../support/test-hub.ts";
import { fixture, said, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

describe("real servers", () => {
  test("the filesystem server is started by the first call, and its process ends when idle", async () => {
    await using folder = await tempHome();
    await writeFile(join(folder.path, "note.txt"), "kept");
    await using up = await testUpstream({ idleMs: 300 });
    await up.upstream.add("fs", filesystem(folder.path));
    await up.upstream.settled();
    await waitUntil("it is idle", () => up.upstream.server("fs").state === "idle");

    const path = join(folder.path, "note.txt");
    expect(said(await up.call("mcp_fs_read_text_file", { path }))).toBe("kept");
    expect(up.upstream.server("fs").state).toBe("ready");

    await waitUntil("it is idle again", () => up.upstream.server("fs").state === "idle");
    expect(up.states.map(({ state }) => state)).toEqual([
      ...["connecting", "ready", "idle"],
      ...["connecting", "ready", "idle"],
    ]);
  });

  inDeep("a listing survives a restart and needs no running server", async () => {
    await using up = await testUpstream();
    await up.upstream.add("everything", EVERYTHING);
    await up.upstream.settled();
    const names = up.upstream.tools().map(({ name }) => name);
    expect(names).toContain("mcp_everything_echo");

    await up.restart();

    expect(up.upstream.tools().map(({ name }) => name)).toEqual(names);
    expect(up.upstream.server("everything")).toMatchObject({ state: "idle", toolCount: names.length });
    expect(said(await up.call("mcp_everything_echo", { message: "hi" }))).toContain("hi");
    expect(up.upstream.server("everything").era?.era).toBe("legacy");
  });
});

test("calls that come together share one process", async () => {
  await using folder = await tempHome();
  const starts = join(folder.path, "starts");
  await using up = await testUpstream();
  await up.upstream.add("one", fixture("counts its starts", starts));
  await up.upstream.settled();
  await up.restart();
  await writeFile(starts, "");

  const answers = await Promise.all([1, 2, 3, 4].map((n) => up.call("mcp_one_echo", { n })));

  expect(answers.map(said)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}']);
  expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(1);
});

test("progress passes through", async () => {
  await using up = await testUpstream();
  await up.upstream.add("busy", fixture("reports progress"));
  await up.upstream.settled();
  const updates: Progress[] = [];

  await up.call("mcp_busy_work", {}, { onProgress: (update) => updates.push(update) });

  expect(updates).toEqual([{ progress: 1, total: 2, message: "half" }]);
});

test("cancelling a call cancels it at the server and leaves the connection alive", async () => {
  await using up = await testUpstream();
  await up.upstream.add("slow", fixture("hangs on a call"));
  await up.upstream.settled();
  const controller = new AbortController();
  const call = up.call("mcp_slow_hang", {}, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("no longer needed")), 100);

  expect(await call).toEqual({ kind: "failed", message: "the call was cancelled" });
  await waitUntil("the server heard of it", async () => said(await up.call("mcp_slow_cancelled")) !== "[]");
  expect(up.upstream.server("slow").state).toBe("ready");
});

describe("results", () => {
  test("that do not match their own output schema are passed on as they came", async () => {
    await using up = await testUpstream();
    await up.upstream.add("liar", fixture("lies about its output"));
    await up.upstream.settled();

    const kept = {
      content: [{ type: "hologram", data: "?" }],
      structured: { n: "not a number" },
      meta: { trace: "abc" },
    };
    expect(await up.call("mcp_liar_lie")).toEqual({ kind: "output", ...kept });
    expect(await up.call("mcp_liar_lie", { fail: true })).toMatchObject({ kind: "failed", ...kept });
  });

  test("that are errors of the protocol become failures that say what the server said", async () => {
    await using up = await testUpstream();
    await up.upstream.add("strict", fixture("refuses"));
    await up.upstream.settled();

    const result = await up.call("mcp_strict_echo");
    expect(result).toMatchObject({ kind: "failed", message: expect.stringContaining("a path is needed") });
  });
});

test("hints that tighten are believed from anyone, those that loosen only from a trusted server", async () => {
  await using up = await testUpstream();
  await up.upstream.add("stranger", fixture("hints"));
  await up.upstream.add("friend", { ...fixture("hints"), trusted: true });
  await up.upstream.settled();

  const harmless = { readOnly: true, concurrencySafe: true, destructive: false };
  const unknown = { readOnly: false, concurrencySafe: false, destructive: false };
  const destructive = { ...unknown, destructive: true };
  const flags = (server: string, tool: string) => up.tool(`mcp_${server}_${tool}`).flags;
  expect(flags("stranger", "reads")).toEqual(unknown);
  expect(flags("friend", "reads")).toEqual(harmless);
  for (const server of ["stranger", "friend"]) {
    expect(flags(server, "destroys")).toEqual(destructive);
    expect(flags(server, "both")).toEqual(destructive);
    expect(flags(server, "plain")).toEqual(unknown);
  }
  expect(up.tool("mcp_friend_reads")).toMatchObject({ origin: "mcp:friend", scope: "mcp", title: "Reads" });
});

describe("a server's environment", () => {
  test("holds its own values and none of the daemon's", async () => {
    const baseEnv = {
      ...process.env,
      TOOLKEEP_KEY: "k",
      DATABASE_URL: "postgres://x",
      SHARED: "canary-in-vault",
    };
    await using up = await testUpstream({ baseEnv });
    await up.vault.put("SHARED", "canary-in-vault");
    await up.upstream.add("env", { ...fixture("shows its environment"), env: { OWN: "mine" } });
    await up.upstream.settled();

    const seen = JSON.parse(said(await up.call("mcp_env_env")));
    expect(seen).toMatchObject({ OWN: "mine", PATH: process.env.PATH });
    expect(seen).not.toHaveProperty("TOOLKEEP_KEY");
    expect(seen).not.toHaveProperty("DATABASE_URL");
    expect(seen).not.toHaveProperty("SHARED");
  });
});

test("the children of a server end with it, also in a session of their own", async () => {
  await using folder = await tempHome();
  const file = join(folder.path, "pids");
  await using up = await testUpstream();
  await up.upstream.add("parent", fixture("leaves children", file));
  await up.upstream.settled();
  const pids = await pidsIn(file, 2);
  expect(await living(pids)).toEqual(pids);

  await up.upstream.remove("parent");

  expect(await living(pids)).toEqual([]);
});
