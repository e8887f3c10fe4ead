import { ToolkeepError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeDesktop } from "./claude-desktop.ts";
import type { Client } from "./client.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { vscode } from "./vscode.ts";
import { windsurf } from "./windsurf.ts";

/** Every client that Toolkeep can read from and write to. */
export const CLIENTS: readonly Client[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  windsurf,
  codex,
  gemini,
  opencode,
];

/** Throws NOT_FOUND with the nearest name. */
export function clientNamed(id: string): Client {
  const found = CLIENTS.find((client) => client.id === id);
  if (found) return found;
  const ids = CLIENTS.map((client) => client.id);
  const guess = nearest(id, ids);
  throw new ToolkeepError(
    "NOT_FOUND",
    `no client is named ${JSON.stringify(id.slice(0, 80))}${guess ? `; did you mean ${guess}?` : `; there are ${ids.join(", ")}`}`,
  );
}
