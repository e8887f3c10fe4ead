/**
 * JSON with comments and trailing commas, as editors write settings, read by our own parser because `JSON.parse`
 * does not say where a key stands.
 */

import { TextCursor } from "../text-cursor.ts";
import { type Document, DocumentError, type KeyPath, KeyPositions, type Position } from "./document.ts";

/** Throws DocumentError. A key given twice in one object is an error: one of the two would silently be lost. */
export function parseJson(text: string): Document {
  const positions = new KeyPositions();
  const value = new JsonReader(text, positions).document();
  return { value, locate: (path) => positions.locate(path) };
}

class JsonReader {
  readonly #cursor: TextCursor;
  readonly #positions: KeyPositions;

  constructor(text: string, positions: KeyPositions) {
    this.#cursor = new TextCursor(text);
    this.#positions = positions;
  }

  document(): unknown {
    this.#skipBlanks();
    const value = this.#value([]);
    this.#skipBlanks();
    if (this.#cursor.next !== undefined) throw this.#unexpected("the end of the file");
    return value;
  }

  #value(path: KeyPath): unknown {
    switch (this.#cursor.next) {
      case "{":
        return this.#object(path);
      case "[":
        return this.#array(path);
      case '"':
        return this.#string();
      default:
        return this.#literal();
    }
  }

  #object(path: KeyPath): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#items("}", () => {
      const position = this.#cursor.position();
      if (this.#cursor.next !== '"') throw this.#unexpected("a key in double quotes");
      const key = this.#string();
      const keyPath = [...path, key];
      this.#noteKey(keyPath, position);
      this.#skipBlanks();
      this.#expect(":", '":" after the key');
      this.#skipBlanks();
      entries.push([key, this.#value(keyPath)]);
    });
    // fromEntries makes own properties even of a key such as __proto__
    return Object.fromEntries(entries);
  }

  #array(path: KeyPath): unknown[] {
    const items: unknown[] = [];
    this.#items("]", () => {
      const itemPath = [...path, items.length];
      this.#positions.note(itemPath, this.#cursor.position());
      items.push(this.#value(itemPath));
    });
    return items;
  }

  /** Reads what stands between an opening bracket, which is next, and `close`. */
  #items(close: "}" | "]", readItem: () => void): void {
    this.#cursor.skip(1);
    this.#skipBlanks();
    while (this.#cursor.next !== close) {
      readItem();
      this.#skipBlanks();
      if (this.#cursor.next === close) break;
      this.#expect(",", `"," or "${close}"`);
      this.#skipBlanks();
    }
    this.#cursor.skip(1);
  }

  #noteKey(path: KeyPath, position: Position): void {
    const first = this.#positions.get(path);
    if (first) {
      throw new DocumentError(
        `the key "${path.at(-1)}" is given twice, first in line ${first.line}`,
        position,
      );
    }
    this.#positions.note(path, position);
  }

  #string(): string {
    // a string ends on its line, so a forgotten quote is reported where it was forgotten
    const written = this.#cursor.take(/"(?:[^"\\\n\r]|\\.)*"/y);
    if (written === undefined) throw this.#error("expected a closing double quote on the same line");
    try {
      return JSON.parse(written) as string;
    } catch {
      throw this.#error("expected a valid string before this: it has a control character or a wrong escape");
    }
  }

  #literal(): unknown {
    const position = this.#cursor.position();
    const word = this.#cursor.take(/[^\s,:{}[\]"/]+/y);
    if (word === undefined) throw this.#unexpected("a value");
    try {
      return JSON.parse(word);
    } catch {
      const expected = "expected a value: a string in double quotes, a number, true, false, null, { or [";
      throw new DocumentError(expected, position);
    }
  }

  #skipBlanks(): void {
    while (this.#cursor.take(/\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y) !== undefined);
  }

  #expect(character: string, expected: string): void {
    if (this.#cursor.next !== character) throw this.#unexpected(expected);
    this.#cursor.skip(1);
  }

  #unexpected(expected: string): DocumentError {
    const { next } = this.#cursor;
    const got = next === undefined ? "the end of the file" : JSON.stringify(next);
    return this.#error(`expected ${expected}, got ${got}`);
  }

  #error(message: string): DocumentError {
    return new DocumentError(message, this.#cursor.position());
  }
}
