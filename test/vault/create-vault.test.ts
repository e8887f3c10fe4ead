import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createVault } from "../../src/vault/create-vault.ts";
import { tempStore } from "../support/temp-store.ts";

const clock = () => 1_784_849_483_838;

test("a secret survives a restart, sealed in the store", async () => {
  await using t = await tempStore();
  const options = { store: t.store.secrets, key: randomBytes(32), clock };
  const vault = await createVault(options);
  await vault.put("GITHUB_TOKEN", "ghp_verysecret");
  await vault.put("A", "第二の秘密");

  const stored = await t.store.secrets.list();
  expect(stored.some((secret) => Buffer.from(secret.sealed).includes("verysecret"))).toBe(false);
  const again = await createVault(options);
  expect(again.get("GITHUB_TOKEN")).toBe("ghp_verysecret");
  expect(again.get("A")).toBe("第二の秘密");
  expect(again.names()).toEqual(["A", "GITHUB_TOKEN"]);
});

test("a secret put again takes the new value; a deleted one is gone but stays redacted", async () => {
  await using t = await tempStore();
  const vault = await createVault({ store: t.store.secrets, key: randomBytes(32), clock });
  await vault.put("KEY", "first value");
  await vault.put("KEY", "second value");
  expect(vault.get("KEY")).toBe("second value");
  await vault.delete("KEY");
  expect(vault.get("KEY")).toBeUndefined();
  expect(vault.names()).toEqual([]);
  expect(vault.redact("first value, second value")).toBe("[redacted], [redacted]");
  await expect(vault.delete("KEY")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a secret of another key is reported, and the others are there", async () => {
  await using t = await tempStore();
  const key = randomBytes(32);
  await (await createVault({ store: t.store.secrets, key: randomBytes(32), clock })).put("OLD", "lost value");
  await (await createVault({ store: t.store.secrets, key, clock })).put("NEW", "good value");

  const unreadable: [string, unknown][] = [];
  const vault = await createVault({
    store: t.store.secrets,
    key,
    clock,
    onUnreadable: (name, error) => unreadable.push([name, error]),
  });
  expect(vault.names()).toEqual(["NEW"]);
  expect(unreadable).toEqual([["OLD", expect.objectContaining({ code: "SECRET_UNREADABLE" })]]);
  expect(await t.store.secrets.list()).toHaveLength(2);
});

test("a sealed value cannot be passed off as that of another name", async () => {
  await using t = await tempStore();
  const options = { store: t.store.secrets, key: randomBytes(32), clock };
  await (await createVault(options)).put("WEAK", "some value");
  const [weak] = await t.store.secrets.list();
  await t.store.secrets.put({ ...weak!, name: "STRONG" });
  const vault = await createVault(options);
  expect(vault.names()).toEqual(["WEAK"]);
});
