import { expect, test } from "vitest";
import { ADD, ANNOUNCE, publishedServer } from "../../../../support/published-server.ts";
import { testApi } from "../../../../support/test-api.ts";
import { trustStores } from "../../../../support/trust-stores.ts";
import { typed } from "../../../../support/typed.ts";

test("nothing is accepted that nobody looked at; the notification names the version", async () => {
  await using server = await publishedServer();
  await using api = await testApi();
  const { upstream } = api.hub;
  await upstream.add("calc", { ...server.input, pin: true });
  await upstream.settled();
  await server.publish([{ ...ADD, description: "Adds more." }, ANNOUNCE]);
  await upstream.test("calc");

  for (const names of [[], ["add"]])
    expect(await typed(api, ["server", "accept", "calc", ...names])).toMatchObject({
      code: 2,
      err: expect.stringContaining("cannot ask without a terminal; review toolkeep server changes"),
    });
  expect(upstream.server("calc").waiting).toBe(1);

  const [notice] = await trustStores(api.hub.store).notifications.list();
  const command = /toolkeep (server accept calc --seen \w+)/.exec(notice?.body ?? "")?.[1];
  expect(await typed(api, command!.split(" "))).toMatchObject({
    code: 0,
    out: "Accepted 1 change of calc.\n",
  });
  expect(upstream.server("calc").waiting).toBe(0);
  // Where nothing waits there is nothing to look at.
  expect(await typed(api, ["server", "accept", "calc"])).toMatchObject({ code: 0 });
});
