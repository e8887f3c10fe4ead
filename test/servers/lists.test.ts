import { expect, test } from "vitest";
import { inDeep } from "../support/length.ts";
import { fixture, said, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

test("all pages of a list are fetched", async () => {
  await using up = await testUpstream();
  await up.upstream.add("pages", fixture("lists in pages"));
  await up.upstream.settled();
  expect(names(up)).toEqual([0, 1, 2, 3, 4].map((page) => `mcp_pages_page_${page}`));
});

test("a tool out of bounds is left out with a warning and costs its neighbours nothing", async () => {
  await using up = await testUpstream();
  await up.upstream.add("bad", fixture("lists badly"));
  await up.upstream.settled();

  expect(names(up)).toEqual(["mcp_bad_good", "mcp_bad_odd"]);
  expect(up.tool("mcp_bad_odd").inputSchema).toEqual({ type: "object" });
  const warnings = up.warnings.join("\n");
  expect(warnings).toContain("without a name");
  expect(warnings).toContain("listed twice");
  expect(warnings).toContain('"huge"');
  expect(up.upstream.server("bad").leftOut).toEqual([
    { name: null, reason: "it has no name" },
    { name: null, reason: "it has no name" },
    { name: "good", reason: "it is listed twice" },
    { name: "huge", reason: "its definition is larger than 256 kB" },
  ]);
  await up.upstream.remove("bad");
  await up.upstream.add("bad", fixture("echoes"));
  await up.upstream.settled();
  expect(up.upstream.server("bad").leftOut).toEqual([]);
});

test("a tool that no store could keep is left out with a warning and costs its neighbours nothing", async () => {
  await using up = await testUpstream();
  await up.upstream.add("odd", fixture("lists what cannot be kept"));
  await up.upstream.settled();
  expect(names(up)).toEqual(["mcp_odd_good"]);
  expect(up.warnings.filter((warning) => warning.includes("left out"))).toHaveLength(5);
});

test("a list without end is cut where it gets too large", async () => {
  await using up = await testUpstream();
  await up.upstream.add("endless", fixture("lists without end"));
  await up.upstream.settled();
  expect(names(up).length).toBeGreaterThan(100);
  expect(names(up).length).toBeLessThan(200);
  expect(up.warnings.join("\n")).toContain("the rest was left out");
});

test("a secret of the server is in nothing that its list says", async () => {
  await using up = await testUpstream();
  await up.upstream.add("leaky", {
    ...fixture("tells its secret"),
    env: { FIXTURE_TOKEN: "canary-in-list" },
  });
  await up.upstream.settled();
  expect(names(up)).toEqual(["mcp_leaky_told"]);
  const seen = [up.tool("mcp_leaky_told"), up.warnings, await up.store.dump()];
  expect(JSON.stringify(seen)).not.toContain("canary-in-list");
});

inDeep("changes announced without end are fetched now and then", async () => {
  await using up = await testUpstream();
  await up.upstream.add("restless", fixture("announces changes without end"));
  await up.upstream.settled();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(Number(said(await up.call("mcp_restless_lists")))).toBeLessThan(6);
});

test("a change that the server announces is fetched and told", async () => {
  await using up = await testUpstream();
  await up.upstream.add("growing", fixture("changes its list"));
  await up.upstream.settled();
  let changes = 0;
  up.upstream.onChange(() => changes++);

  await up.call("mcp_growing_grow");

  await waitUntil("the new tool is there", () => names(up).includes("mcp_growing_grown_1"));
  expect(changes).toBeGreaterThan(0);
  await up.restart();
  expect(names(up)).toEqual(["mcp_growing_grow", "mcp_growing_grown_1"]);
});

test("two servers whose names collide keep distinct tool names, the first one's unchanged, across restarts", async () => {
  await using up = await testUpstream();
  await up.upstream.add("My FS", fixture("echoes"));
  await up.upstream.settled();
  expect(names(up)).toEqual(["mcp_my_fs_echo"]);
  await up.upstream.add("my-fs", fixture("echoes"));
  await up.upstream.settled();

  const both = names(up);
  expect(up.tool("mcp_my_fs_echo").origin).toBe("mcp:My FS");
  expect(both[1]).toMatch(/^mcp_my_fs_echo_[0-9a-f]{6}$/);
  await up.restart();
  expect(names(up)).toEqual(both);
});

test("tools of one server that collide after sanitising keep distinct names, whatever order they come in", async () => {
  await using up = await testUpstream();
  await using other = await testUpstream();
  await up.upstream.add("fs", fixture("lists tools", '["read-file", "read.file", "READ_FILE"]'));
  await other.upstream.add("fs", fixture("lists tools", '["READ_FILE", "read.file", "read-file"]'));
  await Promise.all([up.upstream.settled(), other.upstream.settled()]);

  expect(new Set(names(up)).size).toBe(3);
  expect(names(up).sort()).toEqual(names(other).sort());
});

test("a tool name of 100 characters fits the limit and can be called", async () => {
  await using up = await testUpstream();
  await up.upstream.add("long", fixture("lists tools", JSON.stringify(["t".repeat(100)])));
  await up.upstream.settled();

  const [name] = names(up);
  expect(name!.length).toBe(50);
  expect(await up.call(name!, { a: 1 })).toMatchObject({ kind: "output" });
});

test("the names of a removed server go to no other server, and back to one of its name", async () => {
  await using up = await testUpstream();
  await up.upstream.add("my fs", fixture("echoes"));
  await up.upstream.settled();
  await up.upstream.remove("my fs");
  expect(names(up)).toEqual([]);
  expect(up.upstream.servers()).toEqual([]);

  await up.upstream.add("my-fs", fixture("echoes"));
  await up.upstream.add("my fs", fixture("echoes"));
  await up.upstream.settled();
  expect(names(up)).toEqual(["mcp_my_fs_echo", expect.stringMatching(/^mcp_my_fs_echo_[0-9a-f]{6}$/)]);
});

test("a list that is as it was is not written again", async () => {
  await using up = await testUpstream();
  await up.upstream.add("pages", fixture("lists in pages"));
  await up.upstream.settled();
  const [before] = await up.store.servers.list();
  let writes = 0;
  const { replaceTools } = up.store.servers;
  up.store.servers.replaceTools = (...args) => {
    writes++;
    return replaceTools(...args);
  };

  await up.upstream.test("pages");
  await up.upstream.settled();

  const [after] = await up.store.servers.list();
  expect(after!.listedAt).toBeGreaterThanOrEqual(before!.listedAt!);
  expect(writes).toBe(0);
  expect(up.upstream.tools()).toHaveLength(5);
});

function names(up: { upstream: { tools(): readonly { name: string }[] } }): string[] {
  return up.upstream.tools().map(({ name }) => name);
}
