import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { createPace } from "../../lib/flow/pace.ts";
import { isRecord, mapTexts } from "../../lib/json.ts";
import type { LeftOut } from "../../lib/text/left-out.ts";
import { createPageSchema, LISTS, type ListMethod } from "../transport/raw-lists.ts";
import { isHiding, isSuspect, revealHidden } from "../trust/definitions/clean-text.ts";

/** A list that servers publish, and the limits it is read with. */
export interface ListKind<K extends string = string> {
  readonly method: ListMethod;
  /** The word for an entry in messages. */
  readonly noun: string;
  /** The field that identifies an entry. */
  readonly key: K;
  readonly maxKeyLength: number;
  /** Models see the key as it is, so it must not hide or imitate anything. */
  readonly isName?: boolean;
  /** Further names in an entry that models see as they are. */
  readonly listNames?: (entry: Readonly<Record<string, unknown>>) => readonly unknown[];
  readonly maxEntries: number;
  readonly maxEntryBytes: number;
  readonly maxBytes: number;
}

/** An entry as published; only its key is checked. */
export type Entry<K extends string> = { readonly [key in K]: string } & {
  readonly [field: string]: unknown;
};

export interface BoundedList<K extends string> {
  readonly entries: readonly Entry<K>[];
  /** The items that were left out, with reasons for people. */
  readonly warnings: readonly string[];
  /** The first entries that were left out. */
  readonly leftOut: readonly LeftOut[];
  /** The shortest time to live of all pages; absent if the server gives none. */
  readonly ttlMs?: number;
}

const MAX_PAGES = 100;
const MAX_DEPTH = 100;
/** Control characters and lone surrogates: no database stores all of them unchanged. */
const UNFIT_KEY = /[\p{Cc}\p{Cs}]/u;
/** In names also invisible characters, and those that delimit tags. */
const UNFIT_NAME = /[\p{Cc}\p{Cs}\p{Cf}<>]/u;
const MAX_WARNINGS = 20;
const MAX_LEFT_OUT = 50;

/** Why an entry is left out: `warning` includes its name, `reason` is shown beside the name. */
interface EntryProblem {
  readonly warning: string;
  readonly reason: string;
  /** The name cannot be shown. */
  readonly isNameless?: boolean;
}

/** A server that always calls its list stale must not keep everybody busy with it. */
const MIN_TTL_MS = 5000;
const MAX_TTL_MS = 24 * 3600 * 1000;

/**
 * Fetches all pages of a list and redacts secrets. Rejects if the server does; entries out of bounds are left out with a
 * warning. Yields regularly, so that a long list does not block other work.
 */
export async function listAll<K extends string>(
  client: Client,
  kind: ListKind<K>,
  options: RequestOptions,
  redact: (text: string) => string,
): Promise<BoundedList<K>> {
  const collector = new EntryCollector(kind, redact);
  const page = createPageSchema(kind.method);
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: kind.method, params }, page, options);
    collector.limitTtl(answer.ttlMs);
    if (!(await collector.addAll(answer[LISTS[kind.method]] as unknown[]))) break;
    const { nextCursor } = answer;
    if (!nextCursor || nextCursor === cursor) break;
    if (pages >= MAX_PAGES) {
      collector.warn(`the list has more than ${MAX_PAGES} pages; the rest was left out`);
      break;
    }
    cursor = nextCursor as string;
  }
  return collector.list();
}

/** The entries of a list so far, within its bounds. */
class EntryCollector<K extends string> {
  readonly #kind: ListKind<K>;
  readonly #redact: (text: string) => string;
  readonly #pace = createPace();
  readonly #entries = new Map<string, Entry<K>>();
  readonly #warnings: string[] = [];
  readonly #leftOut: LeftOut[] = [];
  #bytes = 0;
  #ttlMs = Number.POSITIVE_INFINITY;

  constructor(kind: ListKind<K>, redact: (text: string) => string) {
    this.#kind = kind;
    this.#redact = redact;
  }

  list(): BoundedList<K> {
    const ttl = Number.isFinite(this.#ttlMs) ? { ttlMs: this.#ttlMs } : {};
    const [warnings, leftOut] = [this.#warnings, this.#leftOut];
    return { entries: [...this.#entries.values()], warnings, leftOut, ...ttl };
  }

  /** Returns false once the list is full. */
  async addAll(candidates: readonly unknown[]): Promise<boolean> {
    for (const candidate of candidates) {
      const problem = this.#findProblem(candidate) ?? this.#addEntry(candidate as Entry<K>);
      if (problem !== undefined) this.#leaveOut(candidate, problem);
      if (this.#isFull()) return false;
      await this.#pace();
    }
    return true;
  }

  /** Ignores 0, which would mean that a stored list is always stale. */
  limitTtl(ttlMs: unknown): void {
    if (typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    this.#ttlMs = Math.min(this.#ttlMs, Math.max(MIN_TTL_MS, Math.min(ttlMs, MAX_TTL_MS)));
  }

  warn(text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(text);
  }

  #leaveOut(candidate: unknown, { warning, reason, isNameless }: EntryProblem): void {
    this.warn(warning);
    if (this.#leftOut.length >= MAX_LEFT_OUT) return;
    const name = isNameless
      ? null
      : revealHidden(this.#redact((candidate as Entry<K>)[this.#kind.key]).slice(0, 100));
    this.#leftOut.push({ name, reason });
  }

  #isFull(): boolean {
    const { maxEntries, maxBytes, noun } = this.#kind;
    const isFull = this.#entries.size >= maxEntries || this.#bytes > maxBytes;
    if (isFull) {
      this.warn(`the list is larger than ${maxEntries} ${noun}s or ${maxBytes} bytes; the rest was left out`);
    }
    return isFull;
  }

  #findProblem(candidate: unknown): EntryProblem | undefined {
    const { noun, key, maxKeyLength, isName, listNames } = this.#kind;
    if (!isRecord(candidate) || typeof candidate[key] !== "string" || candidate[key] === "") {
      return {
        warning: `a ${noun} without a ${key} was left out`,
        reason: `it has no ${key}`,
        isNameless: true,
      };
    }
    const id = candidate[key];
    if (id.length > maxKeyLength || (isName ? isUnfitName : isUnfitKey)(id)) {
      return {
        warning: `the ${noun} ${quote(id)} was left out: a ${key} has at most ${maxKeyLength} characters and none that control a terminal, cannot be seen or make a tag`,
        reason: `its ${key} has more than ${maxKeyLength} characters, or some that control a terminal, cannot be seen or make a tag`,
      };
    }
    if (listNames?.(candidate).some((name) => typeof name === "string" && isUnfitName(name))) {
      return {
        warning: `the ${noun} ${quote(id)} was left out: the name of an argument has characters that cannot be seen or make a tag`,
        reason: "the name of an argument has characters that cannot be seen or make a tag",
      };
    }
    if (this.#entries.has(id)) {
      return {
        warning: `the ${noun} ${quote(id)} is listed twice; the second was left out`,
        reason: "it is listed twice",
      };
    }
    return undefined;
  }

  #addEntry(entry: Entry<K>): EntryProblem | undefined {
    const { noun, key, maxEntryBytes } = this.#kind;
    const texts: string[] = [];
    if (!collectTexts(entry, texts, MAX_DEPTH)) {
      return {
        warning: `the definition of the ${noun} ${quote(entry[key])} is nested more than ${MAX_DEPTH} levels deep; it was left out`,
        reason: `its definition is nested more than ${MAX_DEPTH} levels deep`,
      };
    }
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    this.#bytes += bytes;
    if (bytes > maxEntryBytes) {
      return {
        warning: `the definition of the ${noun} ${quote(entry[key])} has ${bytes} bytes, more than ${maxEntryBytes}; it was left out`,
        reason: `its definition is larger than ${Math.round(maxEntryBytes / 1024)} kB`,
      };
    }
    // Hardly any entry contains a secret, and searching all texts at once is faster than one by one.
    const all = texts.join("\0");
    const safe = this.#redact(all) === all ? entry : mapTexts(entry, this.#redact);
    if (safe[key] !== entry[key]) {
      const reason = `its ${key} holds a secret`;
      return { warning: `a ${noun} whose ${key} holds a secret was left out`, reason, isNameless: true };
    }
    this.#entries.set(safe[key], safe);
    return undefined;
  }
}

/** Collects every text in a value, including keys. Returns false if it nests deeper than `levels`. */
function collectTexts(value: unknown, texts: string[], levels: number): boolean {
  if (typeof value === "string") texts.push(value);
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => collectTexts(item, texts, levels - 1));
  for (const [key, item] of Object.entries(value)) {
    texts.push(key);
    if (!collectTexts(item, texts, levels - 1)) return false;
  }
  return true;
}

function isUnfitKey(key: string): boolean {
  return UNFIT_KEY.test(key) || isHiding(key);
}

/** Stricter than the check of texts: a name needs no character that could hide something. */
function isUnfitName(name: string): boolean {
  return UNFIT_NAME.test(name) || isSuspect(name);
}

function quote(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
