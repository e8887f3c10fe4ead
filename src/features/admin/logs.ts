import { withoutCredentials } from "../../call/vault/credentials.ts";
import { explainRefusal, output, platformTool } from "../../contract/define-tool.ts";
import type { Tool, ToolStatus } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";

export interface LogToolDeps {
  /** The newest lines of the log as JSON, oldest first; absent if this process keeps none. */
  readonly recentLog?: () => readonly string[];
}

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
type Level = keyof typeof LEVELS;

const DEFAULT_LINES = 100;
const MAX_LINES = 500;
const MAX_FIELDS = 1_000;

export function platformLogsTool({ recentLog }: LogToolDeps): Tool {
  const unavailable: ToolStatus = {
    kind: "unavailable",
    reason: "only the daemon keeps its log; this process has none",
  };
  return platformTool<{ readonly level?: Level; readonly words?: string; readonly limit?: number }>(
    {
      domain: "system",
      name: "get_platform_logs",
      title: "Read Toolkeep's log",
      description:
        "Read the newest lines of the daemon's own log, oldest first, without secrets: what was started, what failed and why. Those of a server are shown to people by toolkeep server logs.",
      properties: {
        level: {
          enum: Object.keys(LEVELS),
          description: "Only lines of this level or a graver one. Default: every line that is logged.",
        },
        words: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: "Only lines with all of these words.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_LINES,
          description: `How many at most. Default ${DEFAULT_LINES}.`,
        },
      },
      required: [],
      flags: { readOnly: true, concurrencySafe: true },
      status: () => (recentLog ? { kind: "active" } : unavailable),
      async run({ level, words = "", limit = DEFAULT_LINES }) {
        const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
        const log = recentLog?.() ?? [];
        const entries = log
          .map(parseEntry)
          .filter((entry) => level === undefined || LEVELS[entry.level] >= LEVELS[level])
          .filter(({ text }) => terms.every((word) => text.toLowerCase().includes(word)));
        const shown = entries.slice(-limit);
        return output(shown.map(({ text }) => text).join("\n") || describeEmpty(log), {
          lines: shown.map(({ text }) => text),
          matching: entries.length,
        });
      },
    },
    explainRefusal,
  );
}

function describeEmpty(log: readonly string[]): string {
  return log.length === 0
    ? "The log is empty."
    : "No line of the log matches. Use fewer words or a lower level.";
}

interface LogEntry {
  readonly level: Level;
  readonly text: string;
}

/** Formats a line as `2026-11-16T12:30:05.000Z warn message {…}`. The log already removed the vault's secrets. */
function parseEntry(line: string): LogEntry {
  const { level, time, msg, ...fields } = parseLine(line);
  const name = toLevel(Number(level));
  const more = Object.keys(fields).length === 0 ? "" : ` ${JSON.stringify(fields).slice(0, MAX_FIELDS)}`;
  const when = Number.isFinite(Number(time)) ? new Date(Number(time)).toISOString() : "";
  return { level: name, text: withoutCredentials(`${when} ${name} ${msg ?? ""}${more}`).text };
}

/** A shortened line is no longer valid JSON. */
function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : { msg: line };
  } catch {
    return { msg: line };
  }
}

function toLevel(level: number): Level {
  if (level >= LEVELS.error) return "error";
  if (level >= LEVELS.warn) return "warn";
  return level < LEVELS.info ? "debug" : "info";
}
