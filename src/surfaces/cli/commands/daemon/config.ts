import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { LoadOptions } from "../../../../machine/config/load.ts";
import type { TrustList } from "../../../api/contract.ts";
import { findHome } from "../../home.ts";
import type { Run, Shell } from "../../shell.ts";

export function configCommand(shell: Shell): Command {
  const config = shell.group("config", "Check and show settings");

  config.leaf(
    "check",
    "Check every settings file and variable; exits with 2 if something is wrong",
    checkConfig,
  );
  config.leaf("show", "Show the settings in effect, with secrets masked", showConfig, "--json");
  config.leaf("path", "Show where settings files are read from", showPaths);
  return config;
}

async function checkConfig(run: Run): Promise<number> {
  const { checkHomeSettings } = await import("../../../../features.ts");
  const { problems, warnings } = await checkHomeSettings(loadOptions(run));
  const lines = [
    ...problems.map((problem) => `error: ${problem.message}\n`),
    ...warnings.map((warning) => `warning: ${warning.message}\n`),
  ];
  const verdict = problems.length === 0 ? "The settings are valid.\n" : `${problems.length} to fix.\n`;
  run.print({ ok: problems.length === 0, problems, warnings }, lines.join("") + verdict);
  return problems.length === 0 ? 0 : 2;
}

async function showConfig(run: Run): Promise<undefined> {
  const { loadHomeSettings } = await import("../../../../features.ts");
  const { maskedSettings } = await import("../../../../machine/config/masked.ts");
  const loaded = await loadHomeSettings(loadOptions(run));
  const settings = maskedSettings(loaded);
  const { files, warnings } = loaded;
  const header = files
    .map((file) => `# ${file.path}${file.used ? "" : ` (not used: ${file.reason})`}\n`)
    .join("");
  run.print(
    { settings, files, warnings },
    `${header || "# no settings files; these are defaults and environment variables\n"}${JSON.stringify(settings, null, 2)}\n`,
  );
}

async function showPaths(run: Run): Promise<undefined> {
  const { settingsPaths } = await import("../../../../machine/config/settings-file.ts");
  const { existsSync } = await import("node:fs");
  const home = await findHome(run.terminal);
  const paths = [...settingsPaths(home, "user"), ...settingsPaths(run.terminal.cwd, "project")];
  const candidates = paths.map((path) => ({
    path,
    exists: existsSync(path),
  }));
  run.print(
    { home, files: candidates },
    candidates.map(({ path, exists }) => `${path}${exists ? "" : "  (absent)"}\n`).join(""),
  );
}

/** Asks the store which files are trusted only if there is a project file. */
function loadOptions(run: Run): LoadOptions {
  const { env, cwd } = run.terminal;
  return {
    env,
    cwd,
    async isTrusted(path, sha256) {
      const { trusted } = await run.get<TrustList>("/api/trust").catch(trustNothing);
      return trusted.some((entry) => entry.path === path && entry.sha256 === sha256);
    },
  };
}

/** Broken settings keep the hub from opening. The command reports them itself, so this error is dropped. */
function trustNothing(error: unknown): TrustList {
  if (error instanceof ToolkeepError && error.code === "CONFIG_INVALID") return { trusted: [] };
  throw error;
}
