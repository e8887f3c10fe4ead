import { type Logger, pino } from "pino";
import { RecentLines } from "../../../features/admin/recent-lines.ts";
import { isRecord } from "../../../lib/json.ts";
import { oneLine } from "../../../lib/terminal/printable.ts";

export interface LogOptions {
  readonly level: string;
  /** Writes lines for people instead of JSON. */
  readonly human: boolean;
  write(text: string): void;
  /** Gets every line as JSON. */
  readonly file?: { write(line: string): void };
}

export interface Log {
  readonly logger: Logger;
  /** From now on every line passes through `redact`. The vault knows the secrets only once it is open. */
  redactWith(redact: (line: string) => string): void;
  setLevel(level: string): void;
  /** The newest lines, oldest first, as JSON without secrets. */
  recent(): readonly string[];
}

const CREDENTIALS = ["authorization", "cookie", "token", "password", "secret"];

/** A logger that shows no credentials: headers by name, known secrets by value. */
export function createLog(options: LogOptions): Log {
  let redact = (line: string) => line;
  const lines = new RecentLines();
  const stream = {
    write(line: string) {
      const safe = redact(line);
      lines.add(safe);
      options.file?.write(safe);
      options.write(options.human ? formatHumanLine(safe) : safe);
    },
  };
  const paths = CREDENTIALS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const logger = pino({ level: options.level, base: null, redact: { paths, censor: "[redacted]" } }, stream);
  return {
    logger,
    redactWith(next) {
      redact = next;
    },
    setLevel(level) {
      logger.level = level;
    },
    // Redacted again, because a value may have become a secret since the line was written.
    recent: () => lines.all().map(redact),
  };
}

/** Formats a line as `12:30:05 warn message key=value`. */
export function formatHumanLine(line: string): string {
  const entry = parseLine(line);
  if (!entry) return line;
  const { level, time, msg, err, ...rest } = entry;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const label = pino.levels.labels[Number(level)] ?? "info";
  const details = Object.entries({ ...rest, ...(isRecord(err) ? { err: err.message } : {}) })
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  return `${oneLine(`${clock} ${label} ${msg ?? ""} ${details}`)}\n`;
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
