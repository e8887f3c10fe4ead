import { randomBytes, randomUUID } from "node:crypto";
import { chmod, link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import { makeFolder } from "../../../machine/files/make-folder.ts";
import { type Keyring, systemKeyring } from "./keyring.ts";

export interface KeyOptions {
  readonly home: string;
  /** Only TOOLKEEP_KEY, TOOLKEEP_KEY_BEFORE and TOOLKEEP_KEY_STORE are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: that of this machine. */
  readonly keyring?: Keyring;
}

export interface Keys {
  readonly key: Buffer;
  /** The earlier key, while values may still be sealed with it. */
  readonly before?: Buffer;
  /** The key is in the file although TOOLKEEP_KEY_STORE asks for the keyring. */
  readonly isNotInKeyring?: boolean;
}

const KEY_BYTES = 32;
/** The warning for `isNotInKeyring`. */
export const KEY_IN_FILE = "the key is in its file and not in the keyring, which TOOLKEEP_KEY_STORE asks for";
/** If the key is in the keyring, the file contains this and the id of the entry. */
const IN_KEYRING = "keyring:";

/**
 * The key of this home: TOOLKEEP_KEY if it is set, otherwise the key in the file `key` or in the keyring entry that the
 * file names. Created when it is first needed. A file that other users could read is made private. Throws KEY_INVALID for
 * anything that is not 32 bytes.
 */
export async function loadKey(options: KeyOptions): Promise<Buffer> {
  return (await loadKeys(options)).key;
}

/** The same with the earlier key if a rotation has begun and is not finished. */
export async function loadKeys(options: KeyOptions): Promise<Keys> {
  const { home, env } = options;
  const given = env.TOOLKEEP_KEY?.trim();
  const before = env.TOOLKEEP_KEY_BEFORE?.trim();
  if (given) {
    const key = parseKey(given, "TOOLKEEP_KEY");
    return before ? { key, before: parseKey(before, "TOOLKEEP_KEY_BEFORE") } : { key };
  }
  const file = keyFile(home);
  try {
    const text = (await readKeyFile(file)) ?? (await createKey(options, file));
    const key = await readKey(file, options, text);
    const next = await readKeyFile(nextFile(home));
    if (next !== undefined) return { key: await readKey(nextFile(home), options, next), before: key };
    const isNotInKeyring = env.TOOLKEEP_KEY_STORE === "keyring" && !text.startsWith(IN_KEYRING);
    return { key, ...(isNotInKeyring && { isNotInKeyring }) };
  } catch (error) {
    if (error instanceof ToolkeepError) throw error;
    throw new ToolkeepError("KEY_INVALID", `The key file ${file} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Writes a new key beside the current one, unless there already is one, and resolves with it. From then on both are
 * loaded, until `finishNextKey`.
 */
export async function writeNextKey(options: KeyOptions): Promise<Buffer> {
  const file = nextFile(options.home);
  const text = (await readKeyFile(file)) ?? (await createKey(options, file));
  return readKey(file, options, text);
}

/** Replaces the current key with the next one. The current key is deleted. */
export async function finishNextKey({ home, env, keyring = systemKeyring(env) }: KeyOptions): Promise<void> {
  const old = await readKeyFile(keyFile(home));
  await rename(nextFile(home), keyFile(home));
  const folder = await open(home, "r");
  await folder.sync().finally(() => folder.close());
  if (old?.startsWith(IN_KEYRING)) await keyring.remove(old.slice(IN_KEYRING.length));
}

function keyFile(home: string): string {
  return join(home, "key");
}

function nextFile(home: string): string {
  return join(home, "key.next");
}

async function readKey(file: string, options: KeyOptions, text: string): Promise<Buffer> {
  if (!text.startsWith(IN_KEYRING)) return parseKey(text, file);
  const { env, keyring = systemKeyring(env) } = options;
  const kept = await keyring.read(text.slice(IN_KEYRING.length));
  if (kept) return parseKey(kept, "the keyring");
  throw new ToolkeepError("KEY_INVALID", "The key of this home is in the keyring, which does not give it.", {
    remedy: "Unlock the keyring of this user, or set TOOLKEEP_KEY to the key from a backup.",
  });
}

/** Exactly 32 bytes in hex or base64. The text never appears in a message. */
function parseKey(text: string, from: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : fromBase64(text);
  if (key?.length === KEY_BYTES) return key;
  const came = key ? `${key.length} bytes` : "something else";
  throw new ToolkeepError(
    "KEY_INVALID",
    `${from} should hold ${KEY_BYTES} bytes in base64 or hex, but holds ${came}.`,
  );
}

function fromBase64(text: string): Buffer | undefined {
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}

async function readKeyFile(file: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(file);
    if (mode & 0o077) await chmod(file, 0o600);
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Puts the key into the keyring if that is asked for and works, otherwise into the file: a start never waits for a person. */
async function createKey({ home, env, keyring }: KeyOptions, file: string): Promise<string> {
  const key = randomBytes(KEY_BYTES).toString("base64");
  if (env.TOOLKEEP_KEY_STORE !== "keyring") return createKeyFile(home, file, key);
  const id = randomUUID();
  const ring = keyring ?? systemKeyring(env);
  const isKept = (await ring.write(id, key)) && (await ring.read(id)) === key;
  return createKeyFile(home, file, isKept ? `${IN_KEYRING}${id}` : key);
}

/** Writes another file first and links it, so that a crash leaves a whole key or none, and two processes that start at once agree on one. */
async function createKeyFile(home: string, file: string, text: string): Promise<string> {
  await makeFolder(home);
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
  return (await readFile(file, "utf8")).trim();
}
