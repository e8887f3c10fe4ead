import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { LoginLink } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { launchBrowser } from "../../browser.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { findHome } from "../../home.ts";
import type { Run, Shell } from "../../shell.ts";

export function openCommand(shell: Shell): Command {
  return shell
    .single(
      "open",
      "Open the dashboard",
      "Print a link that signs you in to the dashboard as the owner, and open it if there is a desktop. The link works once, within ten minutes.",
      openDashboard,
      "",
      "--print",
    )
    .option("--print", "Print the link without opening it");
}

async function openDashboard(run: Run, options: { print?: boolean }): Promise<undefined> {
  const { env, signal } = run.terminal;
  if (!readRemoteDaemon(env) && !(await findDaemon(await findHome(run.terminal), signal))) {
    throw new ToolkeepError(
      "DAEMON_UNREACHABLE",
      "no daemon is running for this home; start one with toolkeep serve",
    );
  }
  const link = await run.send<LoginLink>("POST", "/api/login-links");
  run.print(link, `${link.url}\n`);
  if (!run.json) run.terminal.err("The link works once, within ten minutes.\n");
  if (!options.print && !run.json) launchBrowser(link.url, env);
}
