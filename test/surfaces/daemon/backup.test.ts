import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openHomeStore as openStore } from "../../../src/features.ts";
import { createHub } from "../../../src/hub.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { lockHome } from "../../../src/machine/db/lock.ts";
import type { Backup } from "../../../src/surfaces/api/contract.ts";
import {
  checkWritable,
  createBackup,
  readBackup,
  restoreBackup,
  writeBackup,
} from "../../../src/surfaces/daemon/backup.ts";
import { accessTables } from "../../support/access-tables.ts";
import { callTables } from "../../support/call-tables.ts";
import { tempHome } from "../../support/temp-home.ts";
import { testHub } from "../../support/test-hub.ts";

describe("a backup", () => {
  it("restored into a fresh home has the same agents, servers, tokens and secrets", async () => {
    await using from = await testHub({ agents: { main: ["all"] } });
    await from.hub.identity.createToken({ agent: "main" });
    await from.hub.vault.put("API_KEY", "value-of-the-key");
    await from.hub.upstream.add("s", { command: "false", env: { A: "sealed-value" }, enabled: false });
    const backup = await backupOf(from);

    await using folder = await tempHome();
    const file = join(folder.path, "backup.gz");
    await writeBackup(file, backup);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const to = join(folder.path, "home");
    await restoreBackup(await readBackup(file), target(to));
    const store = await openStore({ home: to, databaseUrl: null, clock: systemClock });
    try {
      // But for what the restore itself is recorded by.
      const { auditChains, auditEntries, auditKey, ...tables } = (await store.dump()).tables;
      expect({ ...backup.store.tables, ...tables }).toEqual(backup.store.tables);
      expect(auditChains).toHaveLength(1);
      expect(auditEntries).toMatchObject([{ kind: "opened" }, { kind: "store.restored", actor: "operator" }]);
      // Its key is the same; it is sealed anew, with a mark of how far the records have come.
      expect(auditKey).toMatchObject(
        backup.store.tables.auditKey!.map(({ id, createdAt }) => ({ id, createdAt })),
      );
      expect(await accessTables(store).agents.list()).toEqual(
        await accessTables(from.hub.store).agents.list(),
      );
    } finally {
      await store.close();
    }
    expect(await readFile(join(to, "key"), "utf8")).toBe(await readFile(join(from.home, "key"), "utf8"));
    expect((await stat(join(to, "key"))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(to, "config.json"), "utf8")).toBe(backup.config?.content);
    expect(JSON.stringify(backup.store)).not.toMatch(/value-of-the-key|sealed-value/);
  });

  it("goes into a home that holds something only by force", async () => {
    await using from = await testHub({ agents: { main: [] } });
    await using to = await testHub({ agents: { other: [] } });
    await to.hub.close();
    const backup = await backupOf(from);
    await expect(restoreBackup(backup, target(to.home))).rejects.toMatchObject({ code: "HOME_NOT_EMPTY" });
    await restoreBackup(backup, { ...target(to.home), force: true });
    const store = await openStore({ home: to.home, databaseUrl: null, clock: systemClock });
    expect((await accessTables(store).agents.list()).map((agent) => agent.name)).toEqual(["main"]);
    await store.close();
  });

  it("that is older than what it replaces is a break of the audit that is itself recorded", async () => {
    await using from = await testHub({ agents: { main: [] } });
    const { hub } = from;
    await hub.audit.note("agent.created", "ada", "agt_1");
    const backup = await backupOf(from);
    await hub.audit.note("agent.created", "ada", "agt_2");
    await hub.close();
    await restoreBackup(backup, { ...target(from.home), force: true });

    const again = await createHub({ home: from.home, env: {} });
    try {
      again.audit.checks.start();
      const { result } = (await again.audit.checks.ended())!;
      expect(result).toMatchObject({ findings: [], checked: 4 });
      expect(result!.chains).toHaveLength(2);
      const [opened] = await callTables(again.store).audit.list({ limit: 1, kind: "opened" });
      expect(JSON.parse(opened!.details)).toMatchObject({
        reason: "restored",
        head: { seq: 3 },
        heads: [{ seq: 2 }],
      });
    } finally {
      await again.close();
    }
  });

  it("goes into a home where nothing but an empty store is, as one that was refused leaves", async () => {
    await using from = await testHub({ agents: { main: [] } });
    await using home = await tempHome();
    const backup = await backupOf(from);
    const broken = { ...backup, store: { ...backup.store, tables: { agents: [{ id: 5 }] } } } as Backup;
    await expect(restoreBackup(broken, target(home.path))).rejects.toMatchObject({ code: "BACKUP_INVALID" });
    await restoreBackup(backup, target(home.path));
    await expect(restoreBackup(backup, target(home.path))).rejects.toMatchObject({ code: "HOME_NOT_EMPTY" });
  });

  it("does not go into a home that another process has", async () => {
    await using from = await testHub();
    await using home = await tempHome();
    const lock = await lockHome(home.path, { holder: "daemon", waitMs: 0 });
    await expect(restoreBackup(await backupOf(from), target(home.path))).rejects.toMatchObject({
      code: "STORE_LOCKED",
    });
    await lock.release();
  });

  it("holds no key where TOOLKEEP_KEY gives it, and then wants it back", async () => {
    const key = Buffer.alloc(32, 7).toString("base64");
    await using from = await testHub({ env: { TOOLKEEP_KEY: key } });
    const backup = await backupOf(from, { TOOLKEEP_KEY: key });
    expect(backup.key).toBeNull();
    await using home = await tempHome();
    await expect(restoreBackup(backup, target(home.path))).rejects.toMatchObject({ code: "KEY_INVALID" });
    await restoreBackup(backup, { ...target(home.path), env: { TOOLKEEP_KEY: key } });
    expect(existsSync(join(home.path, "key"))).toBe(false);
  });

  it("is not restored under another TOOLKEEP_KEY", async () => {
    await using from = await testHub();
    await using home = await tempHome();
    const env = { TOOLKEEP_KEY: Buffer.alloc(32, 9).toString("base64") };
    const restored = restoreBackup(await backupOf(from), { ...target(home.path), env });
    await expect(restored).rejects.toMatchObject({ code: "KEY_INVALID" });
  });

  it("does not replace a file unless told to", async () => {
    await using folder = await tempHome();
    const file = join(folder.path, "precious");
    await writeFile(file, "mine");
    expect(() => checkWritable(file, false)).toThrow(expect.objectContaining({ code: "BAD_USAGE" }));
    expect(() => checkWritable(file, true)).not.toThrow();
  });

  it.each([
    ["nothing at all", undefined],
    ["text", Buffer.from("hello")],
    ["other JSON", gzipSync('{"a": 1}')],
    ["a settings file that would lie elsewhere", gzipSync(JSON.stringify(withConfig("../../evil.sh")))],
  ])("is not read from %s", async (_, content) => {
    await using folder = await tempHome();
    const file = join(folder.path, "backup.gz");
    if (content) await writeFile(file, content);
    await expect(readBackup(file)).rejects.toMatchObject({ code: "BACKUP_INVALID" });
  });
});

function backupOf(
  from: { home: string; hub: { store: Parameters<typeof createBackup>[0]["store"] } },
  env = {},
) {
  return createBackup({ store: from.hub.store, home: from.home, env, version: "1.2.3", clock: systemClock });
}

function target(home: string) {
  return { home, databaseUrl: null, env: {}, clock: systemClock, force: false };
}

function withConfig(name: string): Backup {
  return {
    format: "toolkeep-backup",
    formatVersion: 1,
    version: "1.2.3",
    createdAt: 0,
    store: { schemaVersion: 1, tables: {} },
    key: null,
    config: { name, content: "" },
  };
}
