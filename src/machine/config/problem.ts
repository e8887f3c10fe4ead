import { dirname } from "node:path";
import type { z } from "zod";
import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";
import { describeGot, valueAt } from "./document/describe-got.ts";
import type { Document, KeyPath, Position } from "./document/document.ts";

/** Something wrong, or worth a warning, in a settings file or in the environment. */
export interface Problem {
  /** Null for a variable of the environment. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** Such as `mcp.github.timeout_ms` or `rules[0].action`; empty for the file as a whole. */
  readonly key: string;
  readonly expected: string;
  readonly got: string;
  /** All of it in one line, for people. */
  readonly message: string;
}

/** A file that is wrong throughout needs no longer list, and a hostile one gets none. */
const MOST = 100;

/** The problems and warnings of one file, the first hundred of each, with the place of its key. */
export class FileReport {
  readonly #problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  #problemCount = 0;
  readonly #file: string;
  readonly #document: Document;

  constructor(file: string, document: Document) {
    this.#file = file;
    this.#document = document;
  }

  /** In the order of the file, like the warnings. */
  get problems(): Problem[] {
    return this.#problems.toSorted(byPlace);
  }

  get warnings(): Problem[] {
    return this.#warnings.toSorted(byPlace);
  }

  get problemCount(): number {
    return this.#problemCount;
  }

  /** `value` is what came; it is not quoted where it may be a secret. */
  expected(path: KeyPath, expected: string, value: unknown): void {
    this.expectedInstead(path, expected, describeGot(value, path));
  }

  /** The same, with a description of the actual value. */
  expectedInstead(path: KeyPath, expected: string, got: string): void {
    this.#addProblem(this.#at(path, `expected ${expected}, got ${got}`, expected, got));
  }

  /** The text itself is not JSON or TOML. */
  malformed(sentence: string): void {
    this.#addProblem(this.#at([], sentence));
  }

  /** Everything that a schema found in `value`, which stands at `path`; returns the keys of `value` concerned. */
  mismatches(error: z.ZodError, value: unknown, path: KeyPath): Set<string> {
    const keys = new Set<string>();
    for (const issue of error.issues) {
      const at = issue.path as (string | number)[];
      keys.add(String(at[0]));
      this.expected([...path, ...at], issue.message, valueAt(value, at));
    }
    return keys;
  }

  warn(path: KeyPath, sentence: string, expected = "", got = ""): void {
    if (this.#warnings.length < MOST) this.#warnings.push(this.#at(path, sentence, expected, got));
  }

  /** `known` are the keys that would have been understood in its place. */
  unknownKey(path: KeyPath, known: readonly string[]): void {
    const key = String(path.at(-1));
    const meant = nearest(key, known);
    const advice = meant === undefined ? `known here: ${known.join(", ")}` : `did you mean "${meant}"?`;
    this.warn(path, `unknown key, ignored; ${advice}`, meant ?? `one of ${known.join(", ")}`, key);
  }

  /** The folder of the file. Relative paths in it start from there. */
  get folder(): string {
    return dirname(this.#file);
  }

  lineOf(path: KeyPath): number {
    return this.#document.locate(path).line;
  }

  #addProblem(problem: Problem): void {
    this.#problemCount++;
    if (this.#problems.length < MOST) this.#problems.push(problem);
  }

  #at(path: KeyPath, sentence: string, expected = "", got = ""): Problem {
    const position = this.#document.locate(path);
    return fileProblem(this.#file, { sentence, expected, got, key: keyText(path), position });
  }
}

export function fileProblem(
  file: string,
  about: { sentence: string; key?: string; expected?: string; got?: string; position?: Position },
): Problem {
  const { sentence, key = "", expected = "", got = "", position } = about;
  const place = position ? `${file}:${position.line}:${position.column}` : file;
  const message = [place, key, sentence].filter((part) => part !== "").join(": ");
  return {
    file,
    line: position?.line ?? null,
    column: position?.column ?? null,
    key,
    expected,
    got,
    message,
  };
}

export function variableProblem(variable: string, expected: string, value: string): Problem {
  const got = describeGot(value, [variable]);
  const message = `${variable}: expected ${expected}, got ${got}`;
  return { file: null, line: null, column: null, key: variable, expected, got, message };
}

/** One error for all problems; each is in the message and in `details.problems`, the first file in `details.path`. */
export function configInvalid(problems: readonly Problem[]): ToolkeepError {
  const lines = problems.map((problem) => problem.message);
  const message =
    lines.length === 1 ? lines[0]! : [`${lines.length} problems in the settings:`, ...lines].join("\n  ");
  return new ToolkeepError("CONFIG_INVALID", message, { details: { path: problems[0]?.file, problems } });
}

function byPlace(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

function keyText(path: KeyPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}
