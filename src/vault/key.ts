import { randomBytes, randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, ToolkeepError } from "../errors.ts";

export interface KeyOptions {
  readonly home: string;
  /** Of which only TOOLKEEP_KEY counts. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const KEY_BYTES = 32;

/**
 * The key of this home: TOOLKEEP_KEY where it is set, else the file `key`, which is made on first need. A file that
 * others could read is closed to them. Throws KEY_INVALID for anything that is not 32 bytes.
 */
export async function loadKey({ home, env }: KeyOptions): Promise<Buffer> {
  const given = env.TOOLKEEP_KEY?.trim();
  if (given) return parseKey(given, "TOOLKEEP_KEY");

  const file = join(home, "key");
  try {
    return parseKey((await readKeyFile(file)) ?? (await createKeyFile(home, file)), file);
  } catch (error) {
    if (error instanceof ToolkeepError) throw error;
    throw new ToolkeepError("KEY_INVALID", `The key file ${file} cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Hexadecimal or base64, of exactly 32 bytes. The text never appears in a message. */
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

/** Written whole under another name first: a crash leaves a whole key or none, and two starters agree on one. */
async function createKeyFile(home: string, file: string): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString("base64")}\n`);
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
