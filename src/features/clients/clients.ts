import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Client } from "./client.ts";
import { claudeCode } from "./kinds/claude-code.ts";
import { claudeDesktop } from "./kinds/claude-desktop.ts";
import { codex } from "./kinds/codex.ts";
import { cursor } from "./kinds/cursor.ts";
import { gemini } from "./kinds/gemini.ts";
import { opencode } from "./kinds/opencode.ts";
import { vscode } from "./kinds/vscode.ts";
import { windsurf } from "./kinds/windsurf.ts";

/** Every client whose settings Toolkeep can read and write. */
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

/** Throws NOT_FOUND, with the nearest name. */
export function findClient(id: string): Client {
  const client = CLIENTS.find((client) => client.id === id);
  if (client) return client;
  const ids = CLIENTS.map((client) => client.id);
  const guess = nearest(id, ids);
  throw new ToolkeepError(
    "NOT_FOUND",
    `no client is named ${JSON.stringify(id.slice(0, 80))}${guess ? `; did you mean ${guess}?` : `; known clients are ${ids.join(", ")}`}`,
  );
}
