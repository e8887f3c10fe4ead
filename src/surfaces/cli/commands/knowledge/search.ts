import type { Command } from "commander";
import { query } from "../../../../lib/http/api-path.ts";
import { oneLine, printable } from "../../../../lib/terminal/printable.ts";
import type { FoundChunk, SearchPage, SearchResult } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";

interface SearchOptions {
  readonly limit?: string;
  readonly source?: string;
  readonly cursor?: string;
  readonly memory?: boolean;
}

type Mark = FoundChunk["marks"][number];

const BOLD = ["\u001b[1m", "\u001b[22m"] as const;

export function searchCommand(shell: Shell): Command {
  return shell
    .single(
      "search",
      "search what was gathered",
      [
        "Searches what was read from the sources, by words and by meaning, best first.",
        'Beside words it takes "phrases", begin*, -not, source:notes, tag:work, type:pdf, before:2026-01-31 and after:2025-12-31.',
      ].join("\n"),
      search,
      "release notes",
      "'\"exact phrase\" -draft' --source notes",
      "--memory editor",
    )
    .argument("<query...>", "what to look for")
    .option("--limit <count>", "how many at most; 10 unless given")
    .option("--source <name>", "only in this source, or in all of this kind")
    .option("--memory", "what you and agents remember in shared spaces, too")
    .option("--cursor <cursor>", "go on where an earlier page ended");
}

async function search(run: Run, words: string[], options: SearchOptions): Promise<undefined> {
  const { limit = "10", source, cursor, memory } = options;
  const sought = words.join(" ");
  const types = memory ? "entity,memory" : undefined;
  const page = await run.get<SearchPage>(
    `/api/search${query({ query: sought, limit, source, cursor, types })}`,
  );
  run.print(page, shown(page, run.terminal.screen));
}

function shown({ results, nextCursor, notes }: SearchPage, isScreen: boolean): string {
  const said = notes.map((note) => `${note}\n`).join("");
  if (results.length === 0)
    return `${said}Nothing was found. Try other words, or see what was read: toolkeep source list\n`;
  const more = nextCursor === undefined ? "" : `There is more: --cursor ${nextCursor}\n`;
  return `${said}${results.map((found) => resultText(found, isScreen)).join("\n")}${more && `\n${more}`}`;
}

function resultText(found: SearchResult, isScreen: boolean): string {
  const score = found.score.toFixed(2);
  if (found.kind === "memory")
    return `${score}  memory ${oneLine(found.key ?? found.id)}\n      ${marked(found.snippet, found.marks, isScreen)}\n`;
  const { title, source, uri, documentAt, chunks } = found;
  const head = `${score}  ${bold(oneLine(title), isScreen)}  (${oneLine(source)}, ${new Date(documentAt).toISOString().slice(0, 10)})`;
  const lines = chunks.map(({ id, headings, snippet, marks }) => {
    const where = headings.length === 0 ? "" : `${oneLine(headings.join(" › "))}: `;
    return `      ${where}${marked(snippet, marks, isScreen)}\n      [${id}]\n`;
  });
  return `${head}\n      ${oneLine(uri)}\n${lines.join("")}`;
}

/** The snippet on one line, its words of the query made to stand out where somebody looks at it. */
function marked(snippet: string, marks: readonly Mark[], isScreen: boolean): string {
  let at = 0;
  let text = "";
  for (const { start, end } of marks) {
    text += piece(snippet.slice(at, start)) + bold(piece(snippet.slice(start, end)), isScreen);
    at = end;
  }
  return (text + piece(snippet.slice(at))).trim();
}

/** A part of a line: unlike `oneLine` it keeps the space at its ends, which is between it and the next. */
function piece(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}

function bold(text: string, isScreen: boolean): string {
  return isScreen ? `${BOLD[0]}${text}${BOLD[1]}` : text;
}
