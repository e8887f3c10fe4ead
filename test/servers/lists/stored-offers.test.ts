import { expect, test } from "vitest";
import type { Offer, OfferKind } from "../../../src/servers/lists/offer-key.ts";
import type { OfferList } from "../../../src/servers/lists/offer-list.ts";
import { StoredOffers } from "../../../src/servers/lists/stored-offers.ts";
import { openServerTables } from "../../../src/servers/tables/server-tables.ts";
import { server } from "../../machine/db/records.ts";
import { tempStore } from "../../support/temp-store.ts";

const offer = (kind: OfferKind, name: string): Offer => ({ kind, definition: { name } });
const list = (offers: Offer[], failed: OfferKind[] = []): OfferList => ({
  offers,
  failedKinds: failed,
  warnings: [],
});
const names = (learned: StoredOffers) => learned.get("srv_a").map(({ definition }) => definition.name);

test("what a server offered last is there again after a restart", async () => {
  await using temp = await tempStore();
  await openServerTables(temp.store.database).servers.create(server("a"));
  const learned = await StoredOffers.open(openServerTables(temp.store.database));
  expect(await learned.store("srv_a", list([offer("resource", "r"), offer("prompt", "p")]))).toBe(true);

  const again = await StoredOffers.open(openServerTables(temp.store.database));
  expect(again.get("srv_a")).toEqual(learned.get("srv_a"));
  expect(names(again)).toEqual(["p", "r"]);
  expect(again.get("srv_other")).toEqual([]);
});

test("a kind that could not be listed keeps what was known of it", async () => {
  await using temp = await tempStore();
  await openServerTables(temp.store.database).servers.create(server("a"));
  const learned = await StoredOffers.open(openServerTables(temp.store.database));
  await learned.store("srv_a", list([offer("resource", "old"), offer("prompt", "kept")]));
  expect(await learned.store("srv_a", list([offer("resource", "new")], ["prompt"]))).toBe(true);
  expect(names(learned)).toEqual(["kept", "new"]);
  await learned.store("srv_a", list([offer("resource", "new")]));
  expect(names(learned)).toEqual(["new"]);
});

test("an unchanged list writes nothing", async () => {
  await using temp = await tempStore();
  await openServerTables(temp.store.database).servers.create(server("a"));
  const learned = await StoredOffers.open(openServerTables(temp.store.database));
  await learned.store("srv_a", list([offer("resource", "r"), offer("prompt", "p")]));
  const revision = await temp.store.revision();
  expect(await learned.store("srv_a", list([offer("prompt", "p"), offer("resource", "r")]))).toBe(false);
  expect(await temp.store.revision()).toBe(revision);
});

test("what another process learned is taken over, what was forgotten is gone", async () => {
  await using temp = await tempStore();
  await openServerTables(temp.store.database).servers.create(server("a"));
  const learned = await StoredOffers.open(openServerTables(temp.store.database));
  const other = await StoredOffers.open(openServerTables(temp.store.database));
  await other.store("srv_a", list([offer("prompt", "p")]));
  expect(names(learned)).toEqual([]);
  await learned.reload();
  expect(names(learned)).toEqual(["p"]);
  learned.forget("srv_a");
  expect(names(learned)).toEqual([]);
});
