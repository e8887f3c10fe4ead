import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { isInside } from "../../../lib/files/inside.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { reasonOf } from "./reason.ts";
import type { SourcePlan } from "./source-plan.ts";

export const SOURCE_KINDS = ["folder", "obsidian", "bookmarks", "notion", "mail", "inbox"] as const;

const MEGABYTE = 1024 * 1024;
const PATTERNS = z.array(z.string().max(500)).max(200);
const CONFIG = z.strictObject({
  path: z.string().min(1).max(4_096).optional(),
  ignore: PATTERNS.default([]),
  gitignore: z.boolean().default(true),
  hidden: z.boolean().default(false),
  max_file_mb: z.number().min(0.001).max(4_096).optional(),
  max_files: z.number().int().min(1).max(5_000_000).default(1_000_000),
});

/** Files that hold many documents are read piece by piece, and may be large. */
const MAX_FILE_MB: Readonly<Record<SourcePlan["kind"], number>> = {
  folder: 32,
  obsidian: 32,
  inbox: 32,
  bookmarks: 256,
  notion: 4_096,
  mail: 4_096,
};

/** The folder that agents put documents in. */
export function inboxFolder(home: string): string {
  return join(home, "inbox");
}

/** Checks the configuration of a source and resolves its paths; an error says what is wrong, for people. */
export async function planSource(
  kind: string,
  config: Readonly<Record<string, unknown>>,
  home: string,
): Promise<Result<SourcePlan, string>> {
  const known = SOURCE_KINDS.find((one) => one === kind);
  if (known === undefined)
    return err(
      `there is no kind of source "${kind}"; there are ${SOURCE_KINDS.join(", ")} and plugin:<name>`,
    );
  const checked = CONFIG.safeParse(config);
  if (!checked.success) return err(problemOf(checked.error));
  const { path, ignore, gitignore, hidden, max_files: maxFiles } = checked.data;
  const place = await placeOf(known, path, home);
  if (!place.ok) return place;
  return ok({
    kind: known,
    ...place.value,
    ignore,
    gitignore,
    hidden,
    maxFileBytes: Math.floor((checked.data.max_file_mb ?? MAX_FILE_MB[known]) * MEGABYTE),
    maxFiles,
    excluded: [await realHome(home)],
  });
}

async function placeOf(
  kind: SourcePlan["kind"],
  path: string | undefined,
  home: string,
): Promise<Result<Pick<SourcePlan, "root" | "isFile">, string>> {
  const named = kind === "inbox" ? inboxFolder(home) : path?.replace(/^~(?=\/|$)/, homedir());
  if (named === undefined) return err("path is missing: where the documents lie");
  if (!isAbsolute(named)) return err(`path has to begin with / or ~, and is "${named}"`);
  try {
    const root = await realpath(named);
    const stats = await stat(root);
    if (kind !== "inbox" && isInside(await realHome(home), root))
      return err(`${named} lies in Toolkeep's own home, which holds secrets; only the inbox there is read`);
    if (!stats.isDirectory() && !stats.isFile()) return err(`${named} is neither a folder nor a file`);
    return ok({ root, isFile: stats.isFile() });
  } catch (error) {
    return err(`${named}: ${reasonOf(error)}`);
  }
}

/** With another database the folder may not exist yet. */
function realHome(home: string): Promise<string> {
  return realpath(home).catch(() => home);
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join(".");
  return where ? `${where}: ${issue!.message}` : (issue?.message ?? "it is not understood");
}
