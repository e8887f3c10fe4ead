import { ToolkeepError } from "../../contract/errors.ts";

/** A port as typed after `--port`. */
export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text.trim()) && port <= 65_535) return port;
  throw new ToolkeepError(
    "BAD_USAGE",
    `--port is a whole number from 0 to 65535; got ${JSON.stringify(text)}`,
  );
}
