/** A document needs one of the `sources` (names or kinds, lower case), one of the `types`, and all `tags`. */
type Filter = "sources" | "types" | "tags" | "notSources" | "notTypes" | "notTags";

/** A parsed query. No input is an error; `notes` says which parts have no effect. */
export interface Query extends Readonly<Record<Filter, readonly string[]>> {
  /** The words to search for, including those of phrases, as written. */
  readonly words: string;
  /** Each must occur in a passage word for word. */
  readonly phrases: readonly string[];
  /** Beginnings of words. */
  readonly prefixes: readonly string[];
  readonly not: Readonly<Record<"words" | "phrases" | "prefixes", readonly string[]>>;
  /** Milliseconds. The time of a document has to be before `before`, and at or after `after`. */
  readonly before?: number;
  readonly after?: number;
  readonly notes: readonly string[];
}

export const MAX_QUERY_CHARS = 4_000;
/** Phrases, beginnings, filters and exclusions, each. */
const MAX_PARTS = 16;
const MIN_PREFIX = 2;

/** A minus, a name and a colon, then something in quotes or up to the next space. */
const PART = /(-)?(?:(source|tag|type|before|after):(?:"([^"]*)"?|([^\s"]*))|"([^"]*)"?|([^\s"]+))/giu;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** Reads a query. Days are those of UTC. */
export function parseQuery(text: string): Query {
  const parts = new Parts();
  if (text.length > MAX_QUERY_CHARS)
    parts.note(`Only the first ${MAX_QUERY_CHARS} characters were looked at.`);
  for (const match of text.slice(0, MAX_QUERY_CHARS).matchAll(PART)) {
    const [whole, minus, name, quoted, plain, phrase, word] = match;
    const not = minus !== undefined;
    if (name) parts.filter(name.toLowerCase(), (quoted ?? plain ?? "").trim(), not, whole);
    else if (phrase !== undefined) parts.phrase(phrase.trim(), not, whole);
    else parts.word(word ?? "", not, whole);
  }
  return parts.query();
}

/** Whether it has anything to rank by. */
export function hasWords({ words, prefixes }: Query): boolean {
  return HAS_WORD.test(words) || prefixes.length > 0;
}

export function hasFilters(query: Query): boolean {
  const { sources, types, tags, before, after } = query;
  return sources.length + types.length + tags.length > 0 || before !== undefined || after !== undefined;
}

type List = Filter | "phrases" | "prefixes" | "notWords" | "notPhrases" | "notPrefixes";

class Parts {
  readonly #words: string[] = [];
  readonly #lists: Record<List, string[]> = {
    ...{ phrases: [], prefixes: [], notWords: [], notPhrases: [], notPrefixes: [] },
    ...{ sources: [], types: [], tags: [], notSources: [], notTypes: [], notTags: [] },
  };
  readonly #notes: string[] = [];
  #before: number | undefined;
  #after: number | undefined;

  note(text: string): void {
    if (this.#notes.length < MAX_PARTS && !this.#notes.includes(text)) this.#notes.push(text);
  }

  word(value: string, not: boolean, whole: string): void {
    if (!HAS_WORD.test(value)) return;
    const isPrefix = value.endsWith("*") && !value.slice(0, -1).includes("*");
    const beginning = isPrefix ? value.slice(0, -1) : value;
    if (isPrefix && [...beginning].length < MIN_PREFIX) {
      this.note(`${shown(whole)} has no effect: a beginning needs at least ${MIN_PREFIX} characters.`);
    } else if (isPrefix) this.#add(not ? "notPrefixes" : "prefixes", beginning, whole);
    else if (not) this.#add("notWords", value, whole);
    else this.#words.push(value);
  }

  phrase(value: string, not: boolean, whole: string): void {
    if (!HAS_WORD.test(value)) return;
    this.#add(not ? "notPhrases" : "phrases", value, whole);
    if (!not) this.#words.push(value);
  }

  filter(name: string, value: string, not: boolean, whole: string): void {
    if (value === "") this.note(`${shown(whole)} has no effect: nothing follows the colon.`);
    else if (name === "before" || name === "after") this.#date(name, value, not, whole);
    else this.#nameOf(name as "source" | "type" | "tag", value, not, whole);
  }

  #nameOf(name: "source" | "type" | "tag", value: string, not: boolean, whole: string): void {
    const lists = { source: "sources", type: "types", tag: "tags" } as const;
    const notLists = { source: "notSources", type: "notTypes", tag: "notTags" } as const;
    const plain = name === "tag" ? value.replace(/^#/, "") : value;
    this.#add((not ? notLists : lists)[name], plain.toLowerCase(), whole);
  }

  query(): Query {
    const { notWords, notPhrases, notPrefixes, ...lists } = this.#lists;
    return {
      words: this.#words.join(" "),
      ...lists,
      not: { words: notWords, phrases: notPhrases, prefixes: notPrefixes },
      ...(this.#before !== undefined && { before: this.#before }),
      ...(this.#after !== undefined && { after: this.#after }),
      notes: this.#notes,
    };
  }

  #date(name: "before" | "after", value: string, not: boolean, whole: string): void {
    const time = timeOf(value);
    if (time === undefined)
      this.note(`${shown(whole)} has no effect: a date is written 2026, 2026-11 or 2026-11-17.`);
    // Not before is at or after.
    else if ((name === "before") !== not) this.#before = Math.min(this.#before ?? time, time);
    else this.#after = Math.max(this.#after ?? time, time);
  }

  #add(list: List, value: string, whole: string): void {
    const values = this.#lists[list];
    if (values.includes(value)) return;
    if (values.length < MAX_PARTS) values.push(value);
    else this.note(`${shown(whole)} has no effect: only ${MAX_PARTS} of a kind are looked at.`);
  }
}

const DATE = /^\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?)?)?$/;

function timeOf(value: string): number | undefined {
  if (!DATE.test(value)) return undefined;
  const time = Date.parse(value.includes("T") && !value.endsWith("Z") ? `${value}Z` : value);
  return Number.isNaN(time) ? undefined : time;
}

function shown(part: string): string {
  return JSON.stringify(part.length > 60 ? `${part.slice(0, 60)}…` : part);
}
