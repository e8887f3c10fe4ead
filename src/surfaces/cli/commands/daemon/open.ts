import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { LoginLink } from "../../../api/contract.ts";
import { findDaemon } from "../../../daemon/daemon-file.ts";
import { launchBrowser } from "../../browser.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { homeHere } from "../../home.ts";
import type { Run, Shell } from "../../shell.ts";

export function openCommand(shell: Shell): Command {
  return shell
    .single(
      "open",
      "open the dashboard",
      "Prints a link to the dashboard, for you as the owner, good once and for ten minutes, and opens it where there is a desktop.",
      openPage,
      "",
      "--print",
    )
    .option("--print", "only print it");
}

async function openPage(run: Run, options: { print?: boolean }): Promise<undefined> {
  const { env, signal } = run.terminal;
  if (!remoteDaemon(env) && !(await findDaemon(await homeHere(run.terminal), signal))) {
    throw new ToolkeepError(
      "DAEMON_UNREACHABLE",
      "no daemon runs for this home, so there is no page to open",
    );
  }
  const link = await run.send<LoginLink>("POST", "/api/login-links");
  run.print(link, `${link.url}\n`);
  if (!run.json) run.terminal.err("The link is good once, for ten minutes.\n");
  if (!options.print && !run.json) launchBrowser(link.url, env);
}
