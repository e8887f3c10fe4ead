import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { AUDIT_KEY_PURPOSE } from "../../../../src/call/audit/chain/audit-key.ts";
import { loadKey, loadKeys, writeNextKey } from "../../../../src/call/vault/keys/key.ts";
import type { Keyring } from "../../../../src/call/vault/keys/keyring.ts";
import { finishRotation, rotateKey } from "../../../../src/call/vault/keys/rotate-key.ts";
import { purposeOf, sealedFor } from "../../../../src/call/vault/purpose.ts";
import { Sealing } from "../../../../src/call/vault/sealing.ts";
import { Vault } from "../../../../src/call/vault/vault.ts";
import { storePartsOf } from "../../../../src/features/open-features.ts";
import { loadedFeatures } from "../../../../src/features.ts";
import { ok } from "../../../../src/lib/result.ts";
import { sealedColumns } from "../../../../src/machine/db/reseal.ts";
import type { Store } from "../../../../src/machine/db/store.ts";
import { allTables } from "../../../../src/machine/db/store-part.ts";
import { openServerTables } from "../../../../src/servers/tables/server-tables.ts";
import { server } from "../../../machine/db/records.ts";
import { callTables } from "../../../support/call-tables.ts";
import { tempStore } from "../../../support/temp-store.ts";
import { trustStores } from "../../../support/trust-stores.ts";

const clock = () => 1;

/** As a start does it. */
async function open(store: Store, home: string, env: Record<string, string> = {}) {
  const { key, before } = await loadKeys({ home, env });
  const deps = { home, env, store, sealing: new Sealing(key, before) };
  if (before) await finishRotation(deps);
  return { deps, vault: await Vault.open({ store: trustStores(store).secrets, key: deps.sealing, clock }) };
}

async function filled(store: Store, home: string) {
  const opened = await open(store, home);
  await opened.vault.put("KEY", "the value before");
  await opened.vault.put("KEY", "the value now");
  const sealed = opened.vault.seal("of a server", "server:srv_fs");
  await openServerTables(store.database).servers.create(
    server("fs", { sealed, auth: opened.vault.seal("auth", "server-auth:srv_fs") }),
  );
  await callTables(store).audit.addKey({ id: 1, sealed: opened.vault.seal("audit", AUDIT_KEY_PURPOSE) }, 1);
  return opened;
}

/** Opens everything there is with the key on disk alone. */
async function readAll(store: Store, home: string): Promise<unknown[]> {
  const sealing = new Sealing(await loadKey({ home, env: {} }));
  const vault = await Vault.open({ store: trustStores(store).secrets, key: sealing, clock });
  const [found] = await openServerTables(store.database).servers.list();
  return [
    await vault.read("KEY"),
    vault.redact("the value before"),
    sealing.unseal(found!.sealed!, "server:srv_fs"),
    sealing.unseal(found!.auth!, "server-auth:srv_fs"),
    sealing.unseal((await callTables(store).audit.keys())[0]!.sealed, AUDIT_KEY_PURPOSE),
  ];
}
const ALL = [ok("the value now"), "[redacted]", "of a server", "auth", "audit"];

it("everything sealed is sealed with the new key, of which one is left", async () => {
  await using t = await tempStore();
  const { deps, vault } = await filled(t.store, t.home);
  const before = await readFile(join(t.home, "key"), "utf8");
  const handedOut = vault.seal("of a session", "session");
  expect(await rotateKey(deps)).toEqual({ resealed: 5, unreadable: 0 });
  expect(await readFile(join(t.home, "key"), "utf8")).not.toBe(before);
  expect((await readdir(t.home)).filter((name) => name.startsWith("key"))).toEqual(["key"]);
  expect(await readAll(t.store, t.home)).toEqual(ALL);
  // What was handed out before opens until the next start.
  expect(vault.unseal(handedOut, "session")).toBe("of a session");
  await vault.put("NEW", "sealed with the new key");
  expect(await (await open(t.store, t.home)).vault.read("NEW")).toEqual(ok("sealed with the new key"));
});

it("a secret sealed before there were bindings gets the new key, too", async () => {
  await using t = await tempStore();
  const { deps, vault } = await filled(t.store, t.home);
  const [secret] = await trustStores(t.store).secrets.list();
  const sealed = vault.seal("an old value", "secret:OLD");
  await trustStores(t.store).secrets.put({ ...secret!, name: "OLD", sealed, earlier: null, bindings: null });
  expect(await rotateKey(deps)).toEqual({ resealed: 6, unreadable: 0 });
  expect(await (await open(t.store, t.home)).vault.read("OLD")).toEqual(ok("an old value"));
});

it("a process that is killed after any step leaves what the next start reads and finishes", async () => {
  for (const step of ["key written", "half sealed anew", "all sealed anew"]) {
    await using t = await tempStore();
    const { deps, vault } = await filled(t.store, t.home);
    deps.sealing.change(await writeNextKey(deps));
    if (step === "half sealed anew") await vault.put("KEY", "the value now");
    if (step === "all sealed anew")
      await t.store.reseal((sealed, kind, key) => deps.sealing.reseal(sealed, purposeOf(kind, key)));
    const again = await open(t.store, t.home);
    expect(await again.vault.read("KEY"), step).toEqual(ok("the value now"));
    expect(await readAll(t.store, t.home), step).toEqual(ALL);
    expect((await readdir(t.home)).filter((name) => name.startsWith("key"))).toEqual(["key"]);
  }
});

it("a failure in the middle changes nothing, and what cannot be opened stays", async () => {
  await using t = await tempStore();
  const { deps } = await filled(t.store, t.home);
  const strange = randomBytes(40);
  await openServerTables(t.store.database).servers.create(server("odd", { sealed: strange }));
  let seen = 0;
  const failing = t.store.reseal((sealed) => {
    if (++seen > 2) throw new Error("in the middle");
    return sealed.map((byte) => byte ^ 1);
  });
  await expect(failing).rejects.toThrow("in the middle");
  expect(await rotateKey(deps)).toEqual({ resealed: 5, unreadable: 1 });
  expect(
    (await openServerTables(t.store.database).servers.list()).find(({ name }) => name === "odd")?.sealed,
  ).toEqual(new Uint8Array(strange));
});

it("a key of the environment is changed there: TOOLKEEP_KEY_BEFORE opens, TOOLKEEP_KEY seals", async () => {
  await using t = await tempStore();
  await filled(t.store, t.home);
  const old = (await readFile(join(t.home, "key"), "utf8")).trim();
  const env = { TOOLKEEP_KEY: randomBytes(32).toString("base64"), TOOLKEEP_KEY_BEFORE: old };
  const { deps } = await open(t.store, t.home, env);
  await expect(rotateKey(deps)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  const { TOOLKEEP_KEY } = env;
  expect(await (await open(t.store, t.home, { TOOLKEEP_KEY })).vault.read("KEY")).toEqual(
    ok("the value now"),
  );
});

it("every sealed column of the store is known", async () => {
  const parts = storePartsOf(await loadedFeatures());
  const bytes = allTables(parts).flatMap(({ name: table, columns }) =>
    Object.entries(columns).flatMap(([column, kind]) =>
      kind.startsWith("bytes") && table !== "embeddings" ? [`${table}.${column}`] : [],
    ),
  );
  expect(
    sealedColumns(parts)
      .map(({ table, column }) => `${table}.${column}`)
      .sort(),
  ).toEqual(bytes.sort());
  expect(sealedFor.auditKey("")).toBe(AUDIT_KEY_PURPOSE);
});

it("the key is in the keyring where that is wanted, and in the file where there is none", async () => {
  await using t = await tempStore();
  const kept = new Map<string, string>();
  const keyring: Keyring = {
    read: async (id) => kept.get(id),
    write: async (id, text) => kept.set(id, text).size > 0,
    remove: async (id) => void kept.delete(id),
  };
  const options = { home: t.home, env: { TOOLKEEP_KEY_STORE: "keyring" }, keyring };
  const key = await loadKey(options);
  expect([...kept.values()]).toEqual([key.toString("base64")]);
  expect(await readFile(join(t.home, "key"), "utf8")).toMatch(/^keyring:[\w-]+\n$/);
  expect(await loadKey({ ...options, env: {} })).toEqual(key);

  const opened = new Sealing(key);
  await rotateKey({ ...options, store: t.store, sealing: opened });
  const next = await loadKey(options);
  expect([...kept.values()]).toEqual([next.toString("base64")]);
  expect(next).not.toEqual(key);
  kept.clear();
  await expect(loadKey(options)).rejects.toMatchObject({ code: "KEY_INVALID" });

  await using other = await tempStore();
  const none: Keyring = { read: async () => undefined, write: async () => false, remove: async () => {} };
  const made = await loadKey({ ...options, home: other.home, keyring: none });
  expect(await readFile(join(other.home, "key"), "utf8")).toBe(`${made.toString("base64")}\n`);
  expect(await loadKeys({ ...options, home: other.home, keyring: none })).toEqual({
    key: made,
    isNotInKeyring: true,
  });
  expect(await loadKeys({ ...options, env: {}, home: other.home, keyring: none })).toEqual({ key: made });
});
