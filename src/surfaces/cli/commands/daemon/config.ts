import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { LoadOptions } from "../../../../machine/config/load.ts";
import type { TrustList } from "../../../api/contract.ts";
import { homeHere } from "../../home.ts";
import type { Run, Shell } from "../../shell.ts";

export function configCommand(shell: Shell): Command {
  const config = shell.group("config", "the settings of files and environment");

  config.leaf("check", "check every settings file and variable; exit code 2 when something is wrong", check);
  config.leaf("show", "show the settings in effect here, secrets masked", show, "--json");
  config.leaf("path", "show where settings files would be read from", paths);
  return config;
}

async function check(run: Run): Promise<number> {
  const { checkHomeSettings } = await import("../../../../features.ts");
  const { problems, warnings } = await checkHomeSettings(loadOptions(run));
  const lines = [
    ...problems.map((problem) => `error: ${problem.message}\n`),
    ...warnings.map((warning) => `warning: ${warning.message}\n`),
  ];
  const verdict = problems.length === 0 ? "The settings are right.\n" : `${problems.length} to correct.\n`;
  run.print({ ok: problems.length === 0, problems, warnings }, lines.join("") + verdict);
  return problems.length === 0 ? 0 : 2;
}

async function show(run: Run): Promise<undefined> {
  const { loadHomeSettings } = await import("../../../../features.ts");
  const { maskedSettings } = await import("../../../../machine/config/masked.ts");
  const loaded = await loadHomeSettings(loadOptions(run));
  const settings = maskedSettings(loaded);
  const { files, warnings } = loaded;
  const used = files
    .map((file) => `# ${file.path}${file.used ? "" : ` (not used: ${file.reason})`}\n`)
    .join("");
  run.print(
    { settings, files, warnings },
    `${used || "# no settings files; these are the defaults and the environment\n"}${JSON.stringify(settings, null, 2)}\n`,
  );
}

async function paths(run: Run): Promise<undefined> {
  const { settingsPaths } = await import("../../../../machine/config/settings-file.ts");
  const { existsSync } = await import("node:fs");
  const home = await homeHere(run.terminal);
  const found = [...settingsPaths(home, "user"), ...settingsPaths(run.terminal.cwd, "project")];
  const candidates = found.map((path) => ({
    path,
    exists: existsSync(path),
  }));
  run.print(
    { home, files: candidates },
    candidates.map(({ path, exists }) => `${path}${exists ? "" : "  (absent)"}\n`).join(""),
  );
}

/** Asks the store what is trusted only where there is a project file to ask about. */
function loadOptions(run: Run): LoadOptions {
  const { env, cwd } = run.terminal;
  return {
    env,
    cwd,
    async isTrusted(path, sha256) {
      const { trusted } = await run.get<TrustList>("/api/trust").catch(noTrust);
      return trusted.some((entry) => entry.path === path && entry.sha256 === sha256);
    },
  };
}

/** With broken settings there is no hub to ask; what is broken is then the answer, not this. */
function noTrust(error: unknown): TrustList {
  if (error instanceof ToolkeepError && error.code === "CONFIG_INVALID") return { trusted: [] };
  throw error;
}
