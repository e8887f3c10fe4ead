import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempHome } from "../support/temp-home.ts";
import { fixture, said, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

test("a call under way is not sent again to what an agent made of its server", async () => {
  await using folder = await tempHome();
  const starts = join(folder.path, "starts");
  await using up = await testUpstream();
  await up.upstream.add("one", { ...fixture("hangs on a call"), retry: "once" });
  await up.upstream.settled();
  const call = up.call("mcp_one_hang");
  await waitUntil("the call is under way", () => up.upstream.server("one").state === "ready");

  await up.upstream.update("one", fixture("counts its starts", starts), { by: "mallory" });

  expect(await call).toMatchObject({ kind: "unavailable" });
  expect(up.upstream.server("one").state).toBe("pending_approval");
  await expect(readFile(starts, "utf8")).rejects.toThrow("ENOENT");
});

test.each(["disabled", "removed"])("calls that wait for a server that is %s start nothing", async (how) => {
  await using folder = await tempHome();
  const starts = join(folder.path, "starts");
  await using up = await testUpstream();
  await up.upstream.add("one", { ...fixture("counts its starts", starts), maxConcurrency: 1, retry: "once" });
  await up.upstream.settled();
  const calls = [1, 2, 3].map((n) => up.call("mcp_one_echo", { n }));

  if (how === "disabled") await up.upstream.update("one", { enabled: false });
  else await up.upstream.remove("one");
  await Promise.all(calls);

  expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(1);
  expect(await up.children()).toHaveLength(1); // the reaper alone
});

test("a removed server that is added again is asked for its tools anew", async () => {
  await using up = await testUpstream();
  await up.upstream.add("one", fixture("lists tools", '["old"]'));
  await up.upstream.remove("one");
  await up.upstream.add("one", fixture("lists tools", '["new"]'));
  await up.upstream.settled();
  expect(up.upstream.tools().map(({ ownName }) => ownName)).toEqual(["new"]);
  expect(said(await up.call("mcp_one_new"))).toBeDefined();
});
