import type { Entry } from "../../machine/files/walk.ts";
import { LeftOut } from "./left-out.ts";
import type { FileMatches } from "./line-search.ts";

/** What grep answers, built up file by file. */
export interface Report {
  add(path: string, matches: FileMatches): void;
  /** Counts a file that was too large. */
  skip(): void;
  /** Counts what rules keep from the call. */
  leaveOut(entry: Pick<Entry, "kind">): void;
  note(message: string): void;
  /** How many more matching lines fit. */
  left(): number;
  full(): boolean;
  text(): string;
}

/** Longer answers are no use to a model; it should search more narrowly. */
const MAX_CHARACTERS = 200_000;

export function createReport(maxResults: number): Report {
  const lines: string[] = [];
  const notes: string[] = [];
  let characters = 0;
  let matched = 0;
  let skipped = 0;
  const leftOut = new LeftOut();
  let more = false;

  const left = () => maxResults - matched;
  const full = () => more || characters >= MAX_CHARACTERS;

  return {
    add(path, matches) {
      for (const line of formatted(path, matches)) {
        lines.push(line);
        characters += line.length;
      }
      matched += matches.lines.filter((line) => line.match).length;
      more ||= matches.more;
    },
    skip() {
      skipped++;
    },
    leaveOut(entry) {
      leftOut.add(entry);
    },
    note(message) {
      notes.push(message);
    },
    left,
    full,
    text() {
      const found = matched === 0 ? ["No matches."] : lines;
      const limited = full()
        ? [`there are more than these ${matched} matching lines; narrow the search or raise max_results`]
        : [];
      const large = skipped > 0 ? [`${skipped} larger than 5 MB left out`] : [];
      return [
        ...found,
        ...[...limited, ...large, ...leftOut.notes(), ...notes].map((note) => `(${note})`),
      ].join("\n");
    },
  };
}

/** Groups that do not touch are set apart by `--`, as grep does. */
function* formatted(path: string, { lines }: FileMatches): Generator<string> {
  const hasContext = lines.some((line) => !line.match);
  for (const [index, { number, match, text }] of lines.entries()) {
    if (hasContext && index > 0 && lines[index - 1]!.number < number - 1) yield "--";
    const mark = match ? ":" : "-";
    yield `${path}${mark}${number}${mark}${text}`;
  }
}
