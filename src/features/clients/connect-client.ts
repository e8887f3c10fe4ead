import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { ok, type Result } from "../../lib/result.ts";
import { withoutSettings, withSetting } from "../../machine/config/edit/edit-settings.ts";
import { parseSettings, type Settings, valueIn } from "../../machine/config/edit/settings-document.ts";
import {
  backUp,
  readSettingsFile,
  removeSettingsFile,
  type SettingsFile,
  writeSettingsFile,
} from "../../machine/config/edit/settings-files.ts";
import type { Access, Client, ClientFile, HostContext, Scope } from "./client.ts";
import { parseServerEntry } from "./import/server-entry.ts";
import { findOwnToken, isToolkeep, OWN_NAME } from "./own-entry.ts";
import { restoreText, restoreTextBeforeMove, type UnrestoredServers } from "./restore-text.ts";

/** Whether a client's settings contain Toolkeep. */
export interface Connection {
  readonly file: string;
  /** `other`: another server uses the name. */
  readonly state: "connected" | "absent" | "other";
  /** Toolkeep's token, if the file contains it. */
  readonly token?: string;
}

/** The result of changing a settings file. */
export interface WriteResult {
  readonly file: string;
  readonly backup: string | null;
  /** The real path, if the file is a symbolic link. */
  readonly linkedTo: string | null;
  readonly mode: number;
  readonly created: boolean;
}

export interface ConnectDeps {
  readonly host: HostContext;
  readonly clock: Clock;
  readonly ownUrl: string | null;
}

/** How often to retry if the client rewrites its file at the same moment. */
const ATTEMPTS = 5;

/** Finds the file to write Toolkeep to. Throws BAD_USAGE if the client has none of this scope. */
export async function findTargetFile(client: Client, host: HostContext, scope: Scope): Promise<ClientFile> {
  const targets = client.files(host).filter((file) => file.scope === scope && !file.readOnly);
  const first = targets[0];
  if (!first) throw new ToolkeepError("BAD_USAGE", `${client.title} has no project settings`);
  // Prefer the edition of the program that is installed, and of its files the one that exists.
  const usedFile = await findFirst(targets, (file) => pathExists(dirname(file.path)));
  const siblings = targets.filter((file) => dirname(file.path) === dirname((usedFile ?? first).path));
  return (await findFirst(siblings, (file) => pathExists(file.path))) ?? usedFile ?? first;
}

/** Whether the client was used here: its folder or one of the user's files exists. */
export async function isInstalled(client: Client, host: HostContext): Promise<boolean> {
  const files = client.files(host).filter((file) => file.scope === "user");
  const signs = [client.folder(host), ...files.map((file) => file.path)];
  return (await findFirst(signs, pathExists)) !== undefined;
}

/** Throws BAD_REQUEST if the file cannot be read. */
export async function readConnection(
  client: Client,
  target: ClientFile,
  { ownUrl }: Pick<ConnectDeps, "ownUrl">,
): Promise<Connection> {
  const { settings } = await readTarget(target.path);
  return { file: target.path, ...readEntry(client, settings, ownUrl) };
}

/** Throws what `connectClient` would throw for the current file. */
export async function checkTarget(
  client: Client,
  target: ClientFile,
  access: Access,
  deps: Pick<ConnectDeps, "ownUrl">,
): Promise<void> {
  const { file, settings } = await readTarget(target.path);
  const edited = addEntry(client, target.path, access, deps, file.text ?? "", settings);
  if (!edited.ok) throw unwritableError(target.path, edited.error);
}

/** Adds Toolkeep to the client's servers, after a backup. Throws NAME_TAKEN or BAD_REQUEST. */
export async function connectClient(
  client: Client,
  target: ClientFile,
  access: Access,
  deps: ConnectDeps,
): Promise<WriteResult> {
  return changeFile(target.path, deps, (text, settings) =>
    addEntry(client, target.path, access, deps, text, settings),
  );
}

/** Removes servers from a settings file, after a backup. */
export async function removeServers(
  path: string,
  keys: readonly (readonly string[])[],
  deps: ConnectDeps,
): Promise<WriteResult> {
  return changeFile(path, deps, (text) => withoutSettings(path, text, keys), "move");
}

/** The result of undoing the changes to one file. */
export interface UndoResult {
  readonly file: string;
  readonly removedFile: boolean;
  /** Names of moved servers that are in the file again. */
  readonly restored: readonly string[];
  /** Moved servers that are not, because the file was changed since. */
  readonly stayOut: readonly UnrestoredServers[];
}

/**
 * Removes Toolkeep and nothing else. If nobody changed the file since, restores exactly the earlier text, with the
 * servers that were moved. A file that was created for Toolkeep is deleted. The backups stay. Undefined if the file does
 * not contain Toolkeep.
 */
export async function disconnectClient(
  client: Client,
  target: ClientFile,
  { ownUrl }: Pick<ConnectDeps, "ownUrl">,
): Promise<UndoResult | undefined> {
  const path = target.path;
  for (let attempt = 1; ; attempt++) {
    const { file, settings } = await readTarget(path);
    if (file.text === null || readEntry(client, settings, ownUrl).state !== "connected") return undefined;
    const before = await restoreText(target, file.text, settings, (inside) => getOwnPath(client, inside));
    if (!before.ok) throw unwritableError(path, before.error);
    const { text, restored, stayOut } = before.value;
    const removedFile = text === null;
    const result = removedFile ? ok(await removeSettingsFile(file)) : await writeSettingsFile(file, text);
    if (result.ok) return { file: path, removedFile, restored, stayOut };
    if (attempt === ATTEMPTS) throw unwritableError(path, result.error);
  }
}

/**
 * Puts moved servers back into a file that does not contain Toolkeep. Undefined if there are none.
 */
export async function restoreServers(file: ClientFile): Promise<UndoResult | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { file: read, settings } = await readTarget(file.path);
    const before = read.text === null ? undefined : await restoreTextBeforeMove(file, read.text, settings);
    if (before === undefined) return undefined;
    const { text, restored, stayOut } = before;
    const result = text === null ? ok(undefined) : await writeSettingsFile(read, text);
    if (result.ok) return { file: file.path, removedFile: false, restored, stayOut };
    if (attempt === ATTEMPTS) throw unwritableError(file.path, result.error);
  }
}

async function changeFile(
  path: string,
  { clock }: ConnectDeps,
  edit: (text: string, settings: Settings) => Result<string, string>,
  kind: "change" | "move" = "change",
): Promise<WriteResult> {
  for (let attempt = 1; ; attempt++) {
    const { file, settings } = await readTarget(path);
    const edited = edit(file.text ?? "", settings);
    if (!edited.ok) throw unwritableError(path, edited.error);
    const backup = await backUp(file, clock, kind);
    if (!backup.ok) throw unwritableError(path, backup.error);
    const written = await writeSettingsFile(file, edited.value);
    if (written.ok) {
      return {
        file: path,
        backup: backup.value,
        linkedTo: file.real === path ? null : file.real,
        mode: file.mode,
        created: file.text === null,
      };
    }
    if (attempt === ATTEMPTS) throw unwritableError(path, written.error);
  }
}

async function readTarget(path: string): Promise<{ file: SettingsFile; settings: Settings }> {
  const file = await readSettingsFile(path);
  if (!file.ok) throw unreadableError(path, file.error);
  const settings = parseSettings(path, file.value.text ?? "");
  if (!settings.ok) throw unreadableError(path, settings.error);
  return { file: file.value, settings: settings.value };
}

function addEntry(
  client: Client,
  path: string,
  access: Access,
  { ownUrl }: Pick<ConnectDeps, "ownUrl">,
  text: string,
  settings: Settings,
): Result<string, string> {
  if (readEntry(client, settings, ownUrl).state === "other") {
    throw new ToolkeepError(
      "NAME_TAKEN",
      `${path} has a server named ${OWN_NAME} that is not Toolkeep; rename or remove it first`,
    );
  }
  return withSetting(path, text, getOwnPath(client, settings), client.entry(access));
}

function getOwnPath(client: Client, settings: Settings): string[] {
  return [...client.container(settings), OWN_NAME];
}

function readEntry(client: Client, settings: Settings, ownUrl: string | null): Omit<Connection, "file"> {
  const entry = valueIn(settings, getOwnPath(client, settings));
  if (entry === undefined) return { state: "absent" };
  const written = parseServerEntry(entry, client.dialect);
  if (!written.ok || !isToolkeep(written.value, ownUrl)) return { state: "other" };
  const token = findOwnToken(written.value);
  return { state: "connected", ...(token === undefined ? {} : { token }) };
}

async function findFirst<T>(
  items: readonly T[],
  test: (item: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const item of items) if (await test(item)) return item;
  return undefined;
}

async function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function unreadableError(path: string, problem: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `${path}: ${problem}`, { details: { path } });
}

function unwritableError(path: string, problem: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `${path} was not changed: ${problem}; to add Toolkeep by hand, see toolkeep connect --print`,
    { details: { path } },
  );
}
