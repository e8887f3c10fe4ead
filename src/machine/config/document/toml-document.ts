/** TOML: `smol-toml` gives the values and refuses what is wrong; a scanner then notes where each key stands. */
import { parse, TomlError } from "smol-toml";
import { type Document, DocumentError, type KeyPath, KeyPositions, type Position } from "./document.ts";

/** Throws DocumentError. */
export function parseToml(text: string): Document {
  const value = parseValues(text);
  const positions = new KeyPositions();
  new TomlScanner(text, positions).document();
  return { value, locate: (path) => positions.locate(path) };
}

function parseValues(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // the rest of the message quotes lines of the file, which may hold secrets
    const [reason] = error.message.replace("Invalid TOML document: ", "").split("\n");
    throw new DocumentError(`expected valid TOML: ${reason}`, { line: error.line, column: error.column });
  }
}

/**
 * Notes the position of every key. The text has been parsed before, so nothing is checked here; each step takes at
 * least one character, so the scan ends whatever the text is.
 */
class TomlScanner {
  readonly #cursor: TextCursor;
  readonly #positions: KeyPositions;
  /** How many `[[…]]` there were so far, by path. */
  readonly #tables = new Map<string, number>();

  constructor(text: string, positions: KeyPositions) {
    this.#cursor = new TextCursor(text);
    this.#positions = positions;
  }

  document(): void {
    let table: KeyPath = [];
    for (this.#skipBlanks(); this.#cursor.next !== undefined; this.#skipBlanks()) {
      if (this.#cursor.next === "[") table = this.#header();
      else this.#keyAndValue(table);
    }
  }

  /** `[a.b]` or `[[a.b]]`: the path that the keys below it belong to. */
  #header(): KeyPath {
    const position = this.#cursor.position();
    const brackets = this.#cursor.take(/\[+[ \t]*/y);
    const path = this.#key([], (parent) => this.#lastOf(parent));
    this.#cursor.take(/[ \t]*\]+/y);
    if (!brackets?.startsWith("[[")) return path;

    const id = JSON.stringify(path);
    const index = this.#tables.get(id) ?? 0;
    this.#tables.set(id, index + 1);
    const item = [...path, index];
    this.#positions.note(item, position);
    return item;
  }

  /** The last table of an array of tables, or the path itself. */
  #lastOf(path: KeyPath): KeyPath {
    const count = this.#tables.get(JSON.stringify(path));
    return count === undefined ? path : [...path, count - 1];
  }

  #keyAndValue(table: KeyPath): void {
    const path = this.#key(table);
    this.#cursor.take(/[ \t]*=[ \t]*/y);
    this.#value(path);
  }

  /** Reads a dotted key and notes every part of it that is new. */
  #key(table: KeyPath, resolve: (parent: KeyPath) => KeyPath = (parent) => parent): KeyPath {
    let path = table;
    do {
      const position = this.#cursor.position();
      path = [...resolve(path), this.#keyPart()];
      if (!this.#positions.get(path)) this.#positions.note(path, position);
    } while (this.#cursor.take(/[ \t]*\.[ \t]*/y) !== undefined);
    return path;
  }

  #keyPart(): string {
    const quoted = this.#cursor.take(/"(?:\\.|[^"\\])*"|'[^']*'/y);
    if (quoted !== undefined) return parse(`key = ${quoted}`).key as string;
    return this.#cursor.take(/[A-Za-z0-9_-]+|[\s\S]/y) ?? "";
  }

  #value(path: KeyPath): void {
    if (this.#cursor.next === "[") this.#array(path);
    else if (this.#cursor.next === "{") this.#inlineTable(path);
    else if (this.#cursor.take(STRING) === undefined) this.#cursor.take(/[^,\]}#\n]+|[\s\S]/y);
  }

  #array(path: KeyPath): void {
    let index = 0;
    this.#items("]", () => {
      const item = [...path, index++];
      this.#positions.note(item, this.#cursor.position());
      this.#value(item);
    });
  }

  #inlineTable(path: KeyPath): void {
    this.#items("}", () => this.#keyAndValue(path));
  }

  #items(close: "]" | "}", scanItem: () => void): void {
    this.#cursor.skip(1);
    this.#skipBlanks();
    while (this.#cursor.next !== close && this.#cursor.next !== undefined) {
      scanItem();
      this.#skipBlanks();
      this.#cursor.take(/,/y);
      this.#skipBlanks();
    }
    this.#cursor.skip(1);
  }

  #skipBlanks(): void {
    while (this.#cursor.take(/\s+|#[^\n]*/y) !== undefined);
  }
}

const STRING = /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\])*"|'[^']*'/y;

/** A place in a text that only moves forward and knows its line and column. */
class TextCursor {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #lineEnd: number;

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = text.indexOf("\n");
  }

  /** The next character; undefined at the end. */
  get next(): string | undefined {
    return this.#text[this.#at];
  }

  /** Takes what the pattern, which must be sticky, matches here; undefined when it does not match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  skip(characters: number): void {
    this.#at += characters;
  }

  position(): Position {
    while (this.#lineEnd !== -1 && this.#lineEnd < this.#at) {
      this.#line++;
      this.#lineStart = this.#lineEnd + 1;
      this.#lineEnd = this.#text.indexOf("\n", this.#lineStart);
    }
    return { line: this.#line, column: this.#at - this.#lineStart + 1 };
  }
}
