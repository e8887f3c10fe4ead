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
import type { Access, Client, ClientFile, Place, Scope } from "./client.ts";
import { readWritten } from "./import/written-server.ts";
import { isToolkeep, OWN_NAME, ownToken } from "./own-entry.ts";
import { type StayOut, textBefore, textBeforeMove } from "./text-before.ts";

/** Whether Toolkeep stands in a client's settings. */
export interface Connection {
  readonly file: string;
  /** `other`: a server of that name that is not Toolkeep. */
  readonly state: "connected" | "absent" | "other";
  /** Its token where it stands in the file. */
  readonly token?: string;
}

/** What was written, or would be. */
export interface Written {
  readonly file: string;
  readonly backup: string | null;
  /** Where the file really is, when a link leads there. */
  readonly linkedTo: string | null;
  readonly mode: number;
  readonly created: boolean;
}

export interface ConnectDeps {
  readonly place: Place;
  readonly clock: Clock;
  readonly ownUrl: string | null;
}

/** A client that rewrites its file at the same moment is tried again this often. */
const ATTEMPTS = 5;

/** The file that Toolkeep is written to. Throws BAD_USAGE where the client has none of this scope. */
export async function targetFile(client: Client, place: Place, scope: Scope): Promise<ClientFile> {
  const targets = client.files(place).filter((file) => file.scope === scope && !file.readOnly);
  const first = targets[0];
  if (!first) throw new ToolkeepError("BAD_USAGE", `${client.title} has no settings file of a project`);
  // The edition of the program that is used here, and of its files the one that exists.
  const used = await firstThat(targets, (file) => exists(dirname(file.path)));
  const beside = targets.filter((file) => dirname(file.path) === dirname((used ?? first).path));
  return (await firstThat(beside, (file) => exists(file.path))) ?? used ?? first;
}

/** Whether the client has been used here: its folder or one of the user's files exists. */
export async function isFound(client: Client, place: Place): Promise<boolean> {
  const files = client.files(place).filter((file) => file.scope === "user");
  const signs = [client.folder(place), ...files.map((file) => file.path)];
  return (await firstThat(signs, exists)) !== undefined;
}

/** Throws BAD_REQUEST for a file that cannot be read. */
export async function connectionOf(
  client: Client,
  target: ClientFile,
  { ownUrl }: Pick<ConnectDeps, "ownUrl">,
): Promise<Connection> {
  const { settings } = await readTarget(target.path);
  return { file: target.path, ...entryIn(client, settings, ownUrl) };
}

/** Throws what `connectClient` would throw about the file as it is now. */
export async function checkTarget(
  client: Client,
  target: ClientFile,
  access: Access,
  deps: Pick<ConnectDeps, "ownUrl">,
): Promise<void> {
  const { file, settings } = await readTarget(target.path);
  const edited = withEntry(client, target.path, access, deps, file.text ?? "", settings);
  if (!edited.ok) throw unwritable(target.path, edited.error);
}

/** Writes Toolkeep among the client's servers, after a backup. Throws NAME_TAKEN, BAD_REQUEST. */
export async function connectClient(
  client: Client,
  target: ClientFile,
  access: Access,
  deps: ConnectDeps,
): Promise<Written> {
  return change(target.path, deps, (text, settings) =>
    withEntry(client, target.path, access, deps, text, settings),
  );
}

/** Takes servers out of a settings file, after a backup. */
export async function removeServers(
  path: string,
  keys: readonly (readonly string[])[],
  deps: ConnectDeps,
): Promise<Written> {
  return change(path, deps, (text) => withoutSettings(path, text, keys), "move");
}

/** What undoing did to one file. */
export interface Undone {
  readonly file: string;
  readonly removedFile: boolean;
  /** Names of servers that had been moved to Toolkeep and are in the file again. */
  readonly restored: readonly string[];
  /** Those that are not, because the file was changed since. */
  readonly stayOut: readonly StayOut[];
}

/**
 * Takes Toolkeep out again, and nothing else: exactly the text of before where nobody changed the file since, with the
 * servers that were moved. A file that was made for it goes too. The backups stay. Undefined where Toolkeep is not
 * there.
 */
export async function disconnectClient(
  client: Client,
  target: ClientFile,
  { ownUrl }: Pick<ConnectDeps, "ownUrl">,
): Promise<Undone | undefined> {
  const path = target.path;
  for (let attempt = 1; ; attempt++) {
    const { file, settings } = await readTarget(path);
    if (file.text === null || entryIn(client, settings, ownUrl).state !== "connected") return undefined;
    const before = await textBefore(target, file.text, settings, (inside) => ownPath(client, inside));
    if (!before.ok) throw unwritable(path, before.error);
    const { text, restored, stayOut } = before.value;
    const removedFile = text === null;
    const done = removedFile ? ok(await removeSettingsFile(file)) : await writeSettingsFile(file, text);
    if (done.ok) return { file: path, removedFile, restored, stayOut };
    if (attempt === ATTEMPTS) throw unwritable(path, done.error);
  }
}

/**
 * Puts back the servers that were moved out of a file in which Toolkeep does not stand. Undefined where there are none.
 */
export async function restoreServers(file: ClientFile): Promise<Undone | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { file: read, settings } = await readTarget(file.path);
    const before = read.text === null ? undefined : await textBeforeMove(file, read.text, settings);
    if (before === undefined) return undefined;
    const { text, restored, stayOut } = before;
    const done = text === null ? ok(undefined) : await writeSettingsFile(read, text);
    if (done.ok) return { file: file.path, removedFile: false, restored, stayOut };
    if (attempt === ATTEMPTS) throw unwritable(file.path, done.error);
  }
}

async function change(
  path: string,
  { clock }: ConnectDeps,
  edit: (text: string, settings: Settings) => Result<string, string>,
  kind: "change" | "move" = "change",
): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    const { file, settings } = await readTarget(path);
    const edited = edit(file.text ?? "", settings);
    if (!edited.ok) throw unwritable(path, edited.error);
    const backup = await backUp(file, clock, kind);
    if (!backup.ok) throw unwritable(path, backup.error);
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
    if (attempt === ATTEMPTS) throw unwritable(path, written.error);
  }
}

async function readTarget(path: string): Promise<{ file: SettingsFile; settings: Settings }> {
  const file = await readSettingsFile(path);
  if (!file.ok) throw unreadable(path, file.error);
  const settings = parseSettings(path, file.value.text ?? "");
  if (!settings.ok) throw unreadable(path, settings.error);
  return { file: file.value, settings: settings.value };
}

function withEntry(
  client: Client,
  path: string,
  access: Access,
  { ownUrl }: Pick<ConnectDeps, "ownUrl">,
  text: string,
  settings: Settings,
): Result<string, string> {
  if (entryIn(client, settings, ownUrl).state === "other") {
    throw new ToolkeepError(
      "NAME_TAKEN",
      `${path} has a server named ${OWN_NAME} that is not Toolkeep; rename or remove it first`,
    );
  }
  return withSetting(path, text, ownPath(client, settings), client.entry(access));
}

function ownPath(client: Client, settings: Settings): string[] {
  return [...client.container(settings), OWN_NAME];
}

function entryIn(client: Client, settings: Settings, ownUrl: string | null): Omit<Connection, "file"> {
  const entry = valueIn(settings, ownPath(client, settings));
  if (entry === undefined) return { state: "absent" };
  const written = readWritten(entry, client.dialect);
  if (!written.ok || !isToolkeep(written.value, ownUrl)) return { state: "other" };
  const token = ownToken(written.value);
  return { state: "connected", ...(token === undefined ? {} : { token }) };
}

async function firstThat<T>(
  items: readonly T[],
  test: (item: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const item of items) if (await test(item)) return item;
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function unreadable(path: string, problem: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `${path}: ${problem}`, { details: { path } });
}

function unwritable(path: string, problem: string): ToolkeepError {
  return new ToolkeepError(
    "BAD_REQUEST",
    `${path} stays as it is: ${problem}; toolkeep connect --print shows what to add by hand`,
    { details: { path } },
  );
}
