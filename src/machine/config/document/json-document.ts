/**
 * JSON with comments and trailing commas, as editors write settings. `jsonc-parser` reads it; this file keeps what
 * settings need beside the value: where each key stands, and a message that says what was expected there.
 */
import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import { type Document, DocumentError, type KeyPath, KeyPositions, type Position } from "./document.ts";

/** Throws DocumentError. A key given twice in one object is an error: one of the two would silently be lost. */
export function parseJson(text: string): Document {
  const plain = withPlainBlanks(text);
  const reader = new JsonReader(plain);
  visit(plain, reader, { allowTrailingComma: true });
  return { value: reader.value, locate: (path) => reader.positions.locate(path) };
}

/** Strings, comments, and white space that JSON does not know. */
const KEPT_OR_BLANK = /"(?:[^"\\\n\r]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^\S \t\r\n]+/g;

/** Between values a space stands for each non-breaking space or the like, which text of web pages brings along. */
function withPlainBlanks(text: string): string {
  if (!/[^\S \t\r\n]/.test(text)) return text;
  return text.replace(KEPT_OR_BLANK, (part) => (part.trim() === "" ? " ".repeat(part.length) : part));
}

interface Container {
  readonly path: KeyPath;
  readonly close: "}" | "]";
  readonly entries: [key: string | number, value: unknown][];
  /** The key that the next value belongs to. */
  key: string | number;
}

type Visitor = Required<JSONVisitor>;

const VALUE = "a value";
const KEY = "a key in double quotes";

/** Builds the value while the text is visited, and throws at the first error instead of recovering from it. */
class JsonReader implements JSONVisitor {
  value: unknown;
  readonly positions = new KeyPositions();
  readonly #text: string;
  readonly #open: Container[] = [];
  #expected = VALUE;
  /** The last number, true, false or null: `12ab` is one wrong word, not a number with something behind it. */
  #literal = { end: -1, position: { line: 1, column: 1 } };

  constructor(text: string) {
    this.#text = text;
  }

  readonly onObjectBegin: Visitor["onObjectBegin"] = (_offset, _length, line, character) => {
    this.#open.push({ path: this.#beginValue(line, character), close: "}", entries: [], key: "" });
    this.#expected = KEY;
  };

  readonly onArrayBegin: Visitor["onArrayBegin"] = (_offset, _length, line, character) => {
    this.#open.push({ path: this.#beginValue(line, character), close: "]", entries: [], key: 0 });
    this.#expected = VALUE;
  };

  readonly onObjectProperty: Visitor["onObjectProperty"] = (key, _offset, _length, line, character) => {
    const object = this.#open.at(-1)!;
    const path = [...object.path, key];
    const first = this.positions.get(path);
    const position = positionOf(line, character);
    if (first)
      throw new DocumentError(`the key "${key}" is given twice, first in line ${first.line}`, position);
    this.positions.note(path, position);
    object.key = key;
    this.#expected = '":" after the key';
  };

  readonly onSeparator: Visitor["onSeparator"] = (separator) => {
    this.#expected = separator === "," && this.#open.at(-1)?.close === "}" ? KEY : VALUE;
  };

  readonly onLiteralValue: Visitor["onLiteralValue"] = (value, offset, length, line, character) => {
    this.#beginValue(line, character);
    if (typeof value !== "string")
      this.#literal = { end: offset + length, position: positionOf(line, character) };
    this.#endValue(value);
  };

  readonly onObjectEnd: Visitor["onObjectEnd"] = (offset) => {
    // a missing bracket is reported as an error after this call, with what was expected until now
    if (this.#text[offset] !== "}") return;
    // fromEntries makes own properties even of a key such as __proto__
    this.#endValue(Object.fromEntries(this.#open.pop()!.entries));
  };

  readonly onArrayEnd: Visitor["onArrayEnd"] = (offset) => {
    if (this.#text[offset] !== "]") return;
    this.#endValue(this.#open.pop()!.entries.map(([, value]) => value));
  };

  readonly onError: Visitor["onError"] = (code, offset, length, line, character) => {
    const word = this.#text.slice(offset, offset + length);
    const position = positionOf(line, character);
    if (word.startsWith('"') && (this.#expected === KEY || this.#expected === VALUE))
      throw wrongString(code, position, length);
    if (this.#expected === VALUE && /^[^\s,:{}[\]"/]/.test(word)) throw wrongWord(position);
    if (offset === this.#literal.end && /^[^\s,:{}[\]"/]/.test(word)) throw wrongWord(this.#literal.position);
    const got = length === 0 ? "the end of the file" : JSON.stringify(word[0]);
    throw new DocumentError(`expected ${this.#expected}, got ${got}`, position);
  };

  /** The path of the value that begins here; an item of a list has no key that told its position. */
  #beginValue(line: number, character: number): KeyPath {
    const container = this.#open.at(-1);
    if (!container) return [];
    const path = [...container.path, container.key];
    if (container.close === "]") this.positions.note(path, positionOf(line, character));
    return path;
  }

  #endValue(value: unknown): void {
    const container = this.#open.at(-1);
    if (!container) {
      this.value = value;
      this.#expected = "the end of the file";
      return;
    }
    container.entries.push([container.key, value]);
    if (container.close === "]") container.key = container.entries.length;
    this.#expected = `"," or "${container.close}"`;
  }
}

function wrongWord(position: Position): DocumentError {
  return new DocumentError(
    "expected a value: a string in double quotes, a number, true, false, null, { or [",
    position,
  );
}

function wrongString(code: ParseErrorCode, position: Position, length: number): DocumentError {
  // a string ends on its line, so a forgotten quote is reported where it was forgotten
  if (printParseErrorCode(code) === "UnexpectedEndOfString")
    return new DocumentError("expected a closing double quote on the same line", position);
  return new DocumentError(
    "expected a valid string before this: it has a control character or a wrong escape",
    { ...position, column: position.column + length },
  );
}

/** `jsonc-parser` counts from 0. */
function positionOf(line: number, character: number): Position {
  return { line: line + 1, column: character + 1 };
}
