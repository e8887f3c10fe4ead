import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { checkKey } from "../../../../src/call/vault/keys/check-key.ts";
import { Vault } from "../../../../src/call/vault/vault.ts";
import type { Store } from "../../../../src/machine/db/store.ts";
import { tempStore } from "../../../support/temp-store.ts";
import { trustStores } from "../../../support/trust-stores.ts";

const KEY = randomBytes(32);
const OTHER = randomBytes(32);
const clock = () => 7;

const putSecret = async (store: Store, key: Buffer) =>
  (await Vault.open({ store: trustStores(store).secrets, key, clock })).put("TOKEN", "a value");

test("the first key that comes is the store's, and any other is refused before a secret is read", async () => {
  await using temp = await tempStore();
  await checkKey(trustStores(temp.store), KEY, clock);
  await checkKey(trustStores(temp.store), KEY, clock);
  await expect(checkKey(trustStores(temp.store), OTHER, clock)).rejects.toMatchObject({
    code: "KEY_INVALID",
    message: expect.stringContaining("every daemon on one database needs the same key"),
    remedy: expect.stringContaining("TOOLKEEP_KEY"),
  });
});

test("of two keys that come at once exactly one is the store's", async () => {
  await using temp = await tempStore();
  const checks = await Promise.allSettled(
    [KEY, OTHER, KEY, OTHER].map((key) => checkKey(trustStores(temp.store), key, clock)),
  );
  expect(checks.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
});

test("a store that has secrets already takes the key that opens them, and no other", async () => {
  await using temp = await tempStore();
  await putSecret(temp.store, KEY);
  // As before: every secret that cannot be opened is reported, and the rest goes on.
  await checkKey(trustStores(temp.store), OTHER, clock);
  await checkKey(trustStores(temp.store), KEY, clock);
  await expect(checkKey(trustStores(temp.store), OTHER, clock)).rejects.toMatchObject({
    code: "KEY_INVALID",
  });
});
