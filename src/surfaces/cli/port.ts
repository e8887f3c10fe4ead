import { ToolkeepError } from "../../contract/errors.ts";

/** Parses the value of `--port`. Throws BAD_USAGE. */
export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text.trim()) && port <= 65_535) return port;
  throw new ToolkeepError(
    "BAD_USAGE",
    `--port must be a whole number from 0 to 65535; got ${JSON.stringify(text)}`,
  );
}
