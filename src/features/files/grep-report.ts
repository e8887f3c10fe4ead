import type { Entry } from "../../machine/files/walk.ts";
import { HiddenEntries } from "./hidden-entries.ts";
import type { FileMatches } from "./line-search.ts";

/** The answer of grep, built file by file. */
export interface GrepReport {
  add(path: string, matches: FileMatches): void;
  /** Counts a file that is too large. */
  skip(): void;
  /** Counts an entry that rules hide from the call. */
  leaveOut(entry: Pick<Entry, "kind">): void;
  note(message: string): void;
  /** How many more matching lines fit into the report. */
  remaining(): number;
  isFull(): boolean;
  text(): string;
}

/** Longer answers do not help a model; it should narrow its search. */
const MAX_CHARACTERS = 200_000;

export function createReport(maxResults: number): GrepReport {
  const lines: string[] = [];
  const notes: string[] = [];
  let characters = 0;
  let matched = 0;
  let skipped = 0;
  const leftOut = new HiddenEntries();
  let more = false;

  const remaining = () => maxResults - matched;
  const isFull = () => more || characters >= MAX_CHARACTERS;

  return {
    add(path, matches) {
      for (const line of formatMatches(path, matches)) {
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
    remaining: remaining,
    isFull: isFull,
    text() {
      const body = matched === 0 ? ["No matches."] : lines;
      const limited = isFull()
        ? [`there are more than these ${matched} matching lines; narrow the search or raise max_results`]
        : [];
      const large = skipped > 0 ? [`${skipped} larger than 5 MB skipped`] : [];
      return [
        ...body,
        ...[...limited, ...large, ...leftOut.notes(), ...notes].map((note) => `(${note})`),
      ].join("\n");
    },
  };
}

/** Separates groups that are not adjacent with `--`, like grep. */
function* formatMatches(path: string, { lines }: FileMatches): Generator<string> {
  const hasContext = lines.some((line) => !line.match);
  for (const [index, { number, match, text }] of lines.entries()) {
    if (hasContext && index > 0 && lines[index - 1]!.number < number - 1) yield "--";
    const mark = match ? ":" : "-";
    yield `${path}${mark}${number}${mark}${text}`;
  }
}
