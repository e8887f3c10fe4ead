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
      "Search your knowledge sources",
      [
        "Search the synced documents by words and by meaning, best match first.",
        'Supports "phrases", begin*, -not, source:notes, tag:work, type:pdf, before:2026-01-31 and after:2025-12-31.',
      ].join("\n"),
      search,
      "release notes",
      "'\"exact phrase\" -draft' --source notes",
      "--memory editor",
    )
    .argument("<query...>", "Words to search for")
    .option("--limit <count>", "Maximum number of results (default: 10)")
    .option("--source <name>", "Only this source, or all sources of this kind")
    .option("--memory", "Also search memories in shared spaces")
    .option("--cursor <cursor>", "Continue where an earlier page ended");
}

async function search(run: Run, words: string[], options: SearchOptions): Promise<undefined> {
  const { limit = "10", source, cursor, memory } = options;
  const text = words.join(" ");
  const types = memory ? "entity,memory" : undefined;
  const page = await run.get<SearchPage>(
    `/api/search${query({ query: text, limit, source, cursor, types })}`,
  );
  run.print(page, formatPage(page, run.terminal.screen));
}

function formatPage({ results, nextCursor, notes }: SearchPage, isScreen: boolean): string {
  const noteLines = notes.map((note) => `${note}\n`).join("");
  if (results.length === 0)
    return `${noteLines}No results. Try other words, or check your sources: toolkeep source list\n`;
  const more = nextCursor === undefined ? "" : `More results: --cursor ${nextCursor}\n`;
  return `${noteLines}${results.map((result) => formatResult(result, isScreen)).join("\n")}${more && `\n${more}`}`;
}

function formatResult(result: SearchResult, isScreen: boolean): string {
  const score = result.score.toFixed(2);
  if (result.kind === "memory")
    return `${score}  memory ${oneLine(result.key ?? result.id)}\n      ${highlightMarks(result.snippet, result.marks, isScreen)}\n`;
  const { title, source, uri, documentAt, chunks } = result;
  const head = `${score}  ${makeBold(oneLine(title), isScreen)}  (${oneLine(source)}, ${new Date(documentAt).toISOString().slice(0, 10)})`;
  const lines = chunks.map(({ id, headings, snippet, marks }) => {
    const where = headings.length === 0 ? "" : `${oneLine(headings.join(" › "))}: `;
    return `      ${where}${highlightMarks(snippet, marks, isScreen)}\n      [${id}]\n`;
  });
  return `${head}\n      ${oneLine(uri)}\n${lines.join("")}`;
}

/** The snippet on one line. In a terminal, the matched words are bold. */
function highlightMarks(snippet: string, marks: readonly Mark[], isScreen: boolean): string {
  let at = 0;
  let text = "";
  for (const { start, end } of marks) {
    text += cleanText(snippet.slice(at, start)) + makeBold(cleanText(snippet.slice(start, end)), isScreen);
    at = end;
  }
  return (text + cleanText(snippet.slice(at))).trim();
}

/** Like `oneLine`, but keeps the space at both ends, which separates this part from the next. */
function cleanText(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}

function makeBold(text: string, isScreen: boolean): string {
  return isScreen ? `${BOLD[0]}${text}${BOLD[1]}` : text;
}
