import { type FileHandle, open, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import type { ChainPlace } from "./audit-store.ts";
import type { ChainKey } from "./chain-code.ts";

/** How far the chain of a home has come, as kept beside the database. */
export interface Head extends ChainPlace {
  readonly chain: string;
}

export type FoundHead =
  | { readonly kind: "none" }
  /** It is no head, or one that another key made. */
  | { readonly kind: "invalid" }
  | { readonly kind: "head"; readonly head: Head };

const NAME = "audit-head";
const MAX_BYTES = 4_096;

export async function readHead(home: string, key: ChainKey): Promise<FoundHead> {
  let text: string;
  try {
    text = await readFile(join(home, NAME), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "none" };
    throw error;
  }
  const head = text.length <= MAX_BYTES ? parsed(text) : undefined;
  if (!head || head.code !== key.ofHead(head.chain, head)) return { kind: "invalid" };
  return { kind: "head", head: { chain: head.chain, seq: head.seq, mac: head.mac } };
}

function parsed(text: string): (Head & { readonly code: string }) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { chain, seq, mac, code } = value;
  if (typeof chain !== "string" || typeof mac !== "string" || typeof code !== "string") return undefined;
  return Number.isSafeInteger(seq) ? { chain, seq: seq as number, mac, code } : undefined;
}

/**
 * Writes heads, each after what it names is in the store: the newest counts, and one is written at a time. Replaced
 * whole, so that a crash leaves this head or the one before.
 */
export class HeadFile {
  readonly #home: string;
  readonly #key: ChainKey;
  readonly #onProblem: (error: unknown) => void;
  #due: Head | undefined;
  #written: Head | undefined;
  #writing: Promise<void> | undefined;

  constructor(home: string, key: ChainKey, onProblem: (error: unknown) => void) {
    this.#home = home;
    this.#key = key;
    this.#onProblem = onProblem;
  }

  /** What is on disk, as far as this process has written it. */
  get written(): Head | undefined {
    return this.#written;
  }

  put(head: Head): void {
    this.#due = head;
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when the newest head is on disk, or could not be written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#due) {
      const head = this.#due;
      this.#due = undefined;
      try {
        await this.#write(head);
        this.#written = head;
      } catch (error) {
        this.#onProblem(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(head: Head): Promise<void> {
    const draft = join(this.#home, `${NAME}.part`);
    const file = await open(draft, "wx", 0o600).catch(() => openInPlace(draft));
    try {
      await file.writeFile(`${JSON.stringify({ ...head, code: this.#key.ofHead(head.chain, head) })}\n`);
      // A head that a power cut left empty would look like one that was tampered with.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(this.#home, NAME));
  }
}

/** Of whatever a process that died has left, or somebody else has put there. */
async function openInPlace(draft: string): Promise<FileHandle> {
  await unlink(draft);
  return open(draft, "wx", 0o600);
}
