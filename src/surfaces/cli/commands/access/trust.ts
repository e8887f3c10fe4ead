import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { TrustList } from "../../../api/contract.ts";
import { confirmed } from "../../input/confirmed.ts";
import { mustConfirm } from "../../input/destructive.ts";
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
      "let the project file of this folder count",
      "Lets toolkeep.json or toolkeep.toml of this folder count, with exactly the content it has now. Shows it first.",
      trust,
      "",
      "--list",
    )
    .option("--yes", "do not ask")
    .option("--revoke", "let it no longer count")
    .option("--list", "list the trusted files");
}

async function trust(run: Run, options: TrustOptions): Promise<undefined> {
  if (options.list) return listTrusted(run);
  if (options.revoke) return revoke(run, options);

  const { path, sha256, text } = await projectFileHere(run);
  run.terminal.err(`${path}:\n\n${printable(text).replace(/^/gm, "  ")}\n\n`);
  await checkContent(run);
  if (!options.yes) {
    await confirmed(run, "Let this file count?", {
      code: "NOT_TRUSTED",
      first: `reading ${path}`,
      no: `${path} was not trusted`,
      initially: false,
    });
  }
  await run.send("POST", "/api/trust", { path, sha256 });
  run.print(
    { path, sha256, trusted: true },
    `Trusted ${path}. Its servers wait for approval: toolkeep server list\n`,
  );
}

async function listTrusted(run: Run): Promise<undefined> {
  const answer = await run.get<TrustList>("/api/trust");
  const rows = answer.trusted.map(({ path, sha256, at }) => [path, sha256.slice(0, 12), ago(at, Date.now())]);
  run.print(
    answer,
    rows.length === 0
      ? "No project file is trusted. Trust one: toolkeep trust, in its folder\n"
      : table(["FILE", "CONTENT", "SINCE"], rows, run.terminal.columns),
  );
}

async function revoke(run: Run, options: TrustOptions): Promise<undefined> {
  await mustConfirm(run, options, "Trust the project file of this folder no longer?");
  const { path } = await projectFileHere(run);
  await run.send("DELETE", `/api/trust${query({ path })}`);
  run.print({ path, trusted: false }, `${path} no longer counts.\n`);
}

async function projectFileHere({ terminal }: Run) {
  const { projectFile } = await import("../../../../machine/config/settings-file.ts");
  const file = await projectFile(terminal.cwd);
  if (!file) throw new ToolkeepError("NOT_FOUND", `${terminal.cwd} has no toolkeep.json or toolkeep.toml`);
  return file;
}

/** A broken file would stop every start in this folder once it counts. */
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
