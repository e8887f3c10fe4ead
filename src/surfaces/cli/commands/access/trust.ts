import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { TrustList } from "../../../api/contract.ts";
import { requireConfirmation } from "../../input/confirm.ts";
import { confirmUnlessYes } from "../../input/destructive.ts";
import type { Run, Shell } from "../../shell.ts";

interface TrustOptions {
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly yes?: boolean;
}

export function trustCommand(shell: Shell): Command {
  return shell
    .single(
      "trust",
      "Trust the project file in this folder",
      "Trust toolkeep.json or toolkeep.toml in this folder, with exactly its current content. Shows the file first.",
      trust,
      "",
      "--list",
    )
    .option("--yes", "Skip the confirmation")
    .option("--revoke", "Stop trusting the file")
    .option("--list", "List trusted files");
}

async function trust(run: Run, options: TrustOptions): Promise<undefined> {
  if (options.list) return listTrusted(run);
  if (options.revoke) return revoke(run, options);

  const { path, sha256, text } = await findProjectFile(run);
  run.terminal.err(`${path}:\n\n${printable(text).replace(/^/gm, "  ")}\n\n`);
  await checkContent(run);
  if (!options.yes) {
    await requireConfirmation(run, "Trust this file?", {
      code: "NOT_TRUSTED",
      first: `reading ${path}`,
      refused: `${path} was not trusted`,
      initialValue: false,
    });
  }
  await run.send("POST", "/api/trust", { path, sha256 });
  run.print(
    { path, sha256, trusted: true },
    `Trusted ${path}. Its servers need your approval: toolkeep server list\n`,
  );
}

async function listTrusted(run: Run): Promise<undefined> {
  const answer = await run.get<TrustList>("/api/trust");
  const rows = answer.trusted.map(({ path, sha256, at }) => [path, sha256.slice(0, 12), ago(at, Date.now())]);
  run.print(
    answer,
    rows.length === 0
      ? "No trusted project files. To trust one, run toolkeep trust in its folder.\n"
      : table(["FILE", "CONTENT", "SINCE"], rows, run.terminal.columns),
  );
}

async function revoke(run: Run, options: TrustOptions): Promise<undefined> {
  await confirmUnlessYes(run, options, "Stop trusting the project file in this folder?");
  const { path } = await findProjectFile(run);
  await run.send("DELETE", `/api/trust${query({ path })}`);
  run.print({ path, trusted: false }, `${path} is no longer trusted.\n`);
}

async function findProjectFile({ terminal }: Run) {
  const { projectFile } = await import("../../../../machine/config/settings-file.ts");
  const file = await projectFile(terminal.cwd);
  if (!file) throw new ToolkeepError("NOT_FOUND", `${terminal.cwd} has no toolkeep.json or toolkeep.toml`);
  return file;
}

/** A trusted but broken file would keep Toolkeep from starting in this folder. */
async function checkContent(run: Run): Promise<void> {
  const { checkHomeSettings } = await import("../../../../features.ts");
  const { env, cwd } = run.terminal;
  const { problems } = await checkHomeSettings({ env, cwd, isTrusted: () => true });
  if (problems.length > 0) {
    throw new ToolkeepError("CONFIG_INVALID", problems.map((problem) => problem.message).join("\n"), {
      details: { problems },
    });
  }
}
