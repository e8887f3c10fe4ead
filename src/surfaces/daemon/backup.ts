import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { AgentTable } from "../../call/identity/tables.ts";
import { loadKey } from "../../call/vault/keys/key.ts";
import { SecretTable } from "../../call/vault/tables.ts";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import { openHomeStore } from "../../features.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import { lockHome } from "../../machine/db/lock.ts";
import type { Store } from "../../machine/db/store.ts";
import { openServerTables } from "../../servers/tables/server-tables.ts";
import type { Backup } from "../api/contract.ts";
import { recordRestore } from "./record-restore.ts";

const CONFIG_FILES = ["config.json", "config.toml"];
const MAX_BACKUP_BYTES = 1024 * 1024 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Collects everything a new home needs: the store, the key that opens its secrets and the settings file. Workspaces are
 * not included.
 */
export async function createBackup(input: {
  readonly store: Pick<Store, "dump">;
  readonly home: string;
  readonly env: Env;
  readonly version: string;
  readonly clock: Clock;
}): Promise<Backup> {
  return {
    format: "toolkeep-backup",
    formatVersion: 1,
    version: input.version,
    createdAt: input.clock(),
    store: await input.store.dump(),
    key: input.env.TOOLKEEP_KEY ? null : `${(await loadKey(input)).toString("base64")}\n`,
    config: await readConfig(input.home),
  };
}

/** Throws BAD_USAGE when the file exists and may not be replaced. */
export function checkWritable(file: string, force: boolean): void {
  if (!force && existsSync(file)) {
    throw new ToolkeepError(
      "BAD_USAGE",
      `${file} exists already; choose another name, or pass --force to replace it`,
    );
  }
}

/**
 * Only the owner can read the file. The backup is written under another name and renamed, so `file` is never half a
 * backup.
 */
export async function writeBackup(file: string, backup: Backup): Promise<{ bytes: number }> {
  const packed = await promisify(gzip)(JSON.stringify(backup));
  const draft = `${file}.${process.pid}.part`;
  try {
    await writeFile(draft, packed, { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new ToolkeepError("BAD_USAGE", `the backup cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { bytes: packed.length };
}

/** Throws BACKUP_INVALID for anything that `writeBackup` did not write. */
export async function readBackup(file: string): Promise<Backup> {
  try {
    const text = await promisify(gunzip)(await readFile(file), { maxOutputLength: MAX_BACKUP_BYTES });
    const backup: unknown = JSON.parse(text.toString("utf8"));
    if (isBackup(backup)) return backup;
  } catch (error) {
    throw new ToolkeepError("BACKUP_INVALID", `${file} is not a backup: ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new ToolkeepError("BACKUP_INVALID", `${file} is JSON, but toolkeep backup did not write it`);
}

/**
 * Fills a home from a backup. Throws HOME_NOT_EMPTY if the home holds data and `force` is not set, and STORE_LOCKED
 * while another process uses the home.
 */
export async function restoreBackup(
  backup: Backup,
  to: {
    readonly home: string;
    readonly databaseUrl: string | null;
    readonly env: Env;
    readonly clock: Clock;
    readonly force: boolean;
  },
): Promise<void> {
  const { home } = to;
  checkKey(backup, to.env);
  const lock = await lockHome(home, { holder: "cli", waitMs: 0 });
  try {
    if (!to.force) checkSettingsAbsent(home);
    const store = await openHomeStore(to);
    try {
      if (!to.force) await checkStoreEmpty(store, home);
      await store.load(backup.store);
      if (backup.key !== null) await writePrivateFile(join(home, "key"), backup.key);
      await rm(join(home, "key.next"), { force: true });
      await recordRestore(store, { ...to, backup });
    } finally {
      await store.close();
    }
    await replaceConfig(home, backup.config);
  } finally {
    await lock.release();
  }
}

/** Refuses a key that did not seal this backup: with it, every sealed value would be unreadable. */
function checkKey(backup: Backup, env: Env): void {
  const given = env.TOOLKEEP_KEY?.trim();
  if (given && backup.key !== null && !isSameKey(given, backup.key)) {
    throw new ToolkeepError(
      "KEY_INVALID",
      "TOOLKEEP_KEY is not the key this backup was made with; unset it, or set that key",
    );
  }
  if (!given && backup.key === null) {
    throw new ToolkeepError(
      "KEY_INVALID",
      "this backup holds no key, because TOOLKEEP_KEY was set when it was made; set it again",
    );
  }
}

function isSameKey(a: string, b: string): boolean {
  return decodeKey(a).equals(decodeKey(b));
}

function decodeKey(text: string): Buffer {
  return Buffer.from(text.trim(), /^[0-9a-f]{64}$/i.test(text.trim()) ? "hex" : "base64");
}

function checkSettingsAbsent(home: string): void {
  const kept = CONFIG_FILES.find((name) => existsSync(join(home, name)));
  if (kept) throw new ToolkeepError("HOME_NOT_EMPTY", `${home} is in use: it holds ${kept}`);
}

/** Every first command creates an empty store, so one without agents, servers and secrets may be replaced. */
async function checkStoreEmpty(store: Store, home: string): Promise<void> {
  const { database } = store;
  const { servers } = openServerTables(database);
  const agents = new AgentTable(database);
  const secrets = new SecretTable(database);
  const [agentCount, serverCount, secretCount] = (
    await Promise.all([agents.list(), servers.list(), secrets.list()])
  ).map((records) => records.length);
  if (agentCount || serverCount || secretCount) {
    throw new ToolkeepError(
      "HOME_NOT_EMPTY",
      `${home} is in use: its store holds ${agentCount} agents, ${serverCount} servers and ${secretCount} secrets`,
    );
  }
}

async function replaceConfig(home: string, config: Backup["config"]): Promise<void> {
  for (const name of CONFIG_FILES) await rm(join(home, name), { force: true });
  if (config) await writePrivateFile(join(home, config.name), config.content);
}

async function readConfig(home: string): Promise<Backup["config"]> {
  for (const name of CONFIG_FILES) {
    const content = await readText(join(home, name));
    if (content !== null) return { name, content };
  }
  return null;
}

async function writePrivateFile(file: string, content: string): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
  await writeFile(file, content, { mode: 0o600, flush: true });
  await chmod(file, 0o600);
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

function isBackup(value: unknown): value is Backup {
  return (
    isRecord(value) &&
    value.format === "toolkeep-backup" &&
    value.formatVersion === 1 &&
    isRecord(value.store) &&
    isRecord(value.store.tables) &&
    (value.key === null || typeof value.key === "string") &&
    (value.config === null || isConfig(value.config))
  );
}

/** Accepts only names that Toolkeep writes itself, because a backup file may come from anywhere. */
function isConfig(value: unknown): boolean {
  return isRecord(value) && typeof value.content === "string" && CONFIG_FILES.includes(String(value.name));
}
