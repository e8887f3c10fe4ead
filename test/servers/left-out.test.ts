import { expect, test } from "vitest";
import { remoteServer } from "../support/remote-server.ts";
import { legacyHttp } from "../support/servers/legacy-http.ts";
import { testUpstream } from "../support/upstream.ts";

test("a tool definition over 256 kB is told of in a notification and the server's log, until it is gone", async () => {
  const huge = { name: "huge", description: "x".repeat(300_000), inputSchema: { type: "object" } };
  const tools: object[] = [{ name: "fine", inputSchema: { type: "object" } }, huge];
  await using remote = await remoteServer(legacyHttp(tools));
  await using up = await testUpstream();
  await up.upstream.add("one", { url: remote.url });
  await up.upstream.settled();
  const open = async () =>
    (await up.store.notifications.list()).filter(({ dismissedAt }) => dismissedAt === null);

  const [told, ...more] = await open();
  expect(more).toEqual([]);
  expect(told).toMatchObject({ level: "warning", title: expect.stringContaining("one") });
  expect(told!.body).toContain("huge");
  expect(JSON.stringify(up.upstream.logs("one"))).toContain("huge");

  await up.upstream.test("one");
  expect((await open()).map(({ id }) => id)).toEqual([told!.id]);

  tools.pop();
  await up.upstream.test("one");
  expect(await open()).toEqual([]);
});
