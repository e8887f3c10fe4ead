import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { createPace } from "../../lib/flow/pace.ts";
import { isRecord, mapTexts } from "../../lib/json.ts";
import type { LeftOut } from "../../lib/text/left-out.ts";
import { LISTS, type ListMethod, listPage } from "../transport/raw-lists.ts";
import { isHiding, isSuspect, revealed } from "../trust/definitions/clean-text.ts";

/** A list that servers publish, and how much of it is taken. */
export interface ListKind<K extends string = string> {
  readonly method: ListMethod;
  /** What an entry is called, for people. */
  readonly noun: string;
  /** The field that tells entries apart. */
  readonly key: K;
  readonly maxKeyLength: number;
  /** It is shown to models as it is, so it must not hide or imitate anything. */
  readonly isName?: boolean;
  /** Further names in an entry that are shown as they are. */
  readonly namesIn?: (entry: Readonly<Record<string, unknown>>) => readonly unknown[];
  readonly maxEntries: number;
  readonly maxEntryBytes: number;
  readonly maxBytes: number;
}

/** An entry as its server published it; only its key is certain. */
export type Entry<K extends string> = { readonly [key in K]: string } & {
  readonly [field: string]: unknown;
};

export interface BoundedList<K extends string> {
  readonly entries: readonly Entry<K>[];
  /** What was left out and why, for people. */
  readonly warnings: readonly string[];
  /** Which entries were, the first of them. */
  readonly leftOut: readonly LeftOut[];
  /** How long the server says the list holds, the least of its pages; absent where it does not say. */
  readonly ttlMs?: number;
}

const MAX_PAGES = 100;
const MAX_DEPTH = 100;
/** Control characters and halves of surrogate pairs: no database keeps all of them as they are. */
const UNFIT_KEY = /[\p{Cc}\p{Cs}]/u;
/** In names also what cannot be seen, and what marks begin and end with. */
const UNFIT_NAME = /[\p{Cc}\p{Cs}\p{Cf}<>]/u;
const MAX_WARNINGS = 20;
const MAX_LEFT_OUT = 50;

/** Why an entry is left out: with its name for whoever reads warnings, and as it is shown beside its name. */
interface Problem {
  readonly warning: string;
  readonly reason: string;
  /** Its name cannot be shown. */
  readonly isNameless?: boolean;
}

/** A server that calls its list stale all the time must not keep everybody busy with it. */
const MIN_TTL_MS = 5000;
const MAX_TTL_MS = 24 * 3600 * 1000;

/**
 * All pages of a list, without secrets. Rejects when the server does; what is out of bounds is left out with a
 * warning. However long the list is, others get their turn meanwhile.
 */
export async function listAll<K extends string>(
  client: Client,
  kind: ListKind<K>,
  options: RequestOptions,
  redact: (text: string) => string,
): Promise<BoundedList<K>> {
  const found = new FoundEntries(kind, redact);
  const page = listPage(kind.method);
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: kind.method, params }, page, options);
    found.holdsFor(answer.ttlMs);
    if (!(await found.addAll(answer[LISTS[kind.method]] as unknown[]))) break;
    const { nextCursor } = answer;
    if (!nextCursor || nextCursor === cursor) break;
    if (pages >= MAX_PAGES) {
      found.warn(`the list has more than ${MAX_PAGES} pages; the rest was left out`);
      break;
    }
    cursor = nextCursor as string;
  }
  return found.list();
}

/** What a list holds so far, within its bounds. */
class FoundEntries<K extends string> {
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
    const holds = Number.isFinite(this.#ttlMs) ? { ttlMs: this.#ttlMs } : {};
    const [warnings, leftOut] = [this.#warnings, this.#leftOut];
    return { entries: [...this.#entries.values()], warnings, leftOut, ...holds };
  }

  /** False when nothing more is taken. */
  async addAll(candidates: readonly unknown[]): Promise<boolean> {
    for (const candidate of candidates) {
      const problem = this.#unfit(candidate) ?? this.#keep(candidate as Entry<K>);
      if (problem !== undefined) this.#leave(candidate, problem);
      if (this.#isFull()) return false;
      await this.#pace();
    }
    return true;
  }

  /** 0 says that the list is stale at once, which no keeper of lists can heed: it counts as saying nothing. */
  holdsFor(ttlMs: unknown): void {
    if (typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    this.#ttlMs = Math.min(this.#ttlMs, Math.max(MIN_TTL_MS, Math.min(ttlMs, MAX_TTL_MS)));
  }

  warn(text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(text);
  }

  #leave(candidate: unknown, { warning, reason, isNameless }: Problem): void {
    this.warn(warning);
    if (this.#leftOut.length >= MAX_LEFT_OUT) return;
    const name = isNameless
      ? null
      : revealed(this.#redact((candidate as Entry<K>)[this.#kind.key]).slice(0, 100));
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

  #unfit(candidate: unknown): Problem | undefined {
    const { noun, key, maxKeyLength, isName, namesIn } = this.#kind;
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
        warning: `the ${noun} ${quoted(id)} was left out: a ${key} has at most ${maxKeyLength} characters and none that control a terminal, cannot be seen or make a tag`,
        reason: `its ${key} has more than ${maxKeyLength} characters, or some that control a terminal, cannot be seen or make a tag`,
      };
    }
    if (namesIn?.(candidate).some((name) => typeof name === "string" && isUnfitName(name))) {
      return {
        warning: `the ${noun} ${quoted(id)} was left out: the name of an argument has characters that cannot be seen or make a tag`,
        reason: "the name of an argument has characters that cannot be seen or make a tag",
      };
    }
    if (this.#entries.has(id)) {
      return {
        warning: `the ${noun} ${quoted(id)} is listed twice; the second was left out`,
        reason: "it is listed twice",
      };
    }
    return undefined;
  }

  #keep(entry: Entry<K>): Problem | undefined {
    const { noun, key, maxEntryBytes } = this.#kind;
    const texts: string[] = [];
    if (!collectTexts(entry, texts, MAX_DEPTH)) {
      return {
        warning: `the definition of the ${noun} ${quoted(entry[key])} is nested more than ${MAX_DEPTH} levels deep; it was left out`,
        reason: `its definition is nested more than ${MAX_DEPTH} levels deep`,
      };
    }
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    this.#bytes += bytes;
    if (bytes > maxEntryBytes) {
      return {
        warning: `the definition of the ${noun} ${quoted(entry[key])} has ${bytes} bytes, more than ${maxEntryBytes}; it was left out`,
        reason: `its definition is larger than ${Math.round(maxEntryBytes / 1024)} kB`,
      };
    }
    // Nearly no entry holds a secret, and all its texts are searched faster at once than one by one.
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

/** Every text in a value, keys included. False, with some missing, when it nests deeper than `levels`. */
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

/** Stricter than with texts: a name needs nothing that could hide. */
function isUnfitName(name: string): boolean {
  return UNFIT_NAME.test(name) || isSuspect(name);
}

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
