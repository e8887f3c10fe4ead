import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { NewPlugin, PluginAnswer, PluginList, PluginView } from "../../../api/contract.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { cannotAskError } from "../../input/confirm.ts";
import { destructive } from "../../input/destructive.ts";
import { formatPermissions, formatPlugin, formatState } from "../../print/plugin-text.ts";
import type { Run, Shell } from "../../shell.ts";

interface EnableOptions {
  readonly yes?: boolean;
  readonly trusted?: boolean;
}

export function pluginCommand(shell: Shell): Command {
  const plugin = shell.group("plugin", "Manage plugins, packages that bring tools");

  addEnableOptions(
    plugin.leaf(
      "add <source>",
      "Add a plugin from a folder or npm, review its permissions and enable it",
      addPlugin,
      "./my-plugin",
      "@example/toolkeep-plugin-weather@1.2.0 --name weather",
    ),
  )
    .option("--name <name>", "Name of the plugin here; its tools are named plugin_NAME_…")
    .option("--link", "Use the folder itself instead of a copy, for plugin development");
  plugin.leaf("list", "List plugins", listPlugins);
  plugin.leaf("show <name>", "Show a plugin: permissions, tools and log", showPlugin, "weather");
  addEnableOptions(
    plugin.leaf("enable <name>", "Review a plugin's permissions and enable it", enablePlugin, "weather"),
  );
  plugin.leaf("disable <name>", "Disable a plugin without removing it", disablePlugin, "weather");
  addEnableOptions(
    plugin.leaf(
      "update <name>",
      "Update a plugin; a changed version has to be enabled again",
      updatePlugin,
      "weather",
    ),
  );
  destructive(
    plugin,
    "remove <name>",
    "Remove a plugin and its files; its tool names stay reserved",
    (name) => `Remove plugin ${name} and its files?`,
    removePlugin,
    "weather",
  );
  return plugin;
}

function addEnableOptions(command: Command): Command {
  return command
    .option("--yes", "Skip the confirmation")
    .option("--trusted", "Trust what it says about its tools (read-only, concurrency-safe)");
}

async function addPlugin(
  run: Run,
  source: string,
  options: EnableOptions & { readonly name?: string; readonly link?: boolean },
): Promise<undefined> {
  const { kind, spec } = parseSource(run, source, options.link === true);
  const body: NewPlugin = { kind, spec, ...(options.name !== undefined && { name: options.name }) };
  const label = kind === "npm" ? `installing ${spec} with npm` : `reading ${spec}`;
  const answer = await run.progress(label, run.send<PluginAnswer>("POST", "/api/plugins", body));
  await offerToEnable(run, answer, options, "Added");
}

async function updatePlugin(run: Run, name: string, options: EnableOptions): Promise<undefined> {
  const before = await run.get<PluginAnswer>(path`/api/plugins/${name}`);
  const answer = await run.progress(
    `fetching ${before.plugin.source.spec}`,
    run.send<PluginAnswer>("POST", `${path`/api/plugins/${name}`}/update`),
  );
  const { version, sha256, status } = answer.plugin;
  const isSame = sha256 === before.plugin.sha256;
  if (status.kind === "active") {
    run.print(
      answer,
      isSame ? `${name} ${version} is already up to date.\n` : `Updated ${name} to ${version}.\n`,
    );
    return;
  }
  if (isSame)
    return void (await offerToEnable(run, answer, options, `${name} ${version} is already installed`));
  await offerToEnable(run, answer, options, `Updated (${before.plugin.version} → ${version})`);
}

/** Enables the plugin if the person agrees; otherwise prints how to. */
async function offerToEnable(
  run: Run,
  answer: PluginAnswer,
  options: EnableOptions,
  done: string,
): Promise<undefined> {
  const { plugin } = answer;
  const canAsk = run.terminal.interactive && !run.json;
  if (options.yes || canAsk) {
    run.terminal.err(`${formatPermissions(plugin)}\n`);
    if (options.yes || (await askToEnable())) {
      const enabled = await enable(run, plugin, options);
      run.print(enabled, `${done}. ${formatEnabled(enabled.plugin)}`);
      return;
    }
  }
  const { name } = plugin;
  const permissions = canAsk ? "" : `${formatPermissions(plugin)}\n`;
  run.print(
    answer,
    `${permissions}${done}, not enabled. Review its permissions, then: toolkeep plugin enable ${name}\n`,
  );
}

async function enablePlugin(run: Run, name: string, options: EnableOptions): Promise<undefined> {
  const { plugin } = await run.get<PluginAnswer>(path`/api/plugins/${name}`);
  run.terminal.err(`${formatPermissions(plugin)}\n`);
  if (!options.yes) {
    if (!run.terminal.interactive || run.json)
      throw cannotAskError(
        run,
        "NOT_TRUSTED",
        "reviewing its permissions",
        `toolkeep plugin enable ${name} --yes`,
      );
    if (!(await askToEnable())) throw new ToolkeepError("CANCELLED", `plugin ${name} was not enabled`);
  }
  const answer = await enable(run, plugin, options);
  run.print(answer, formatEnabled(answer.plugin));
}

/** Enables exactly the files that were reviewed: the daemon refuses if they changed since. */
function enable(
  run: Run,
  { name, sha256, status }: PluginView,
  { trusted }: EnableOptions,
): Promise<PluginAnswer> {
  if (sha256 === null)
    throw new ToolkeepError(
      "BAD_REQUEST",
      status.kind === "active" ? "the plugin cannot be used" : status.reason,
    );
  return run.progress(
    `starting ${name} and listing its tools`,
    run.send<PluginAnswer>("POST", `${path`/api/plugins/${name}`}/enable`, {
      sha256,
      ...(trusted && { trusted }),
    }),
  );
}

async function askToEnable(): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const message = "Enable it?";
  return (await confirm({ message, initialValue: false, output: process.stderr })) === true;
}

async function listPlugins(run: Run): Promise<undefined> {
  const answer = await run.get<PluginList>("/api/plugins");
  const rows = answer.plugins.map((plugin) => [
    plugin.name,
    plugin.version,
    formatState(plugin),
    plugin.tools.length,
    plugin.may.length === 0 ? "nothing" : counted(plugin.may.length, "permission"),
    plugin.description,
  ]);
  run.print(
    answer,
    rows.length === 0
      ? "No plugins yet. Add one: toolkeep plugin add ./FOLDER, or toolkeep plugin add PACKAGE\n"
      : `${table(["NAME", "VERSION", "STATE", "TOOLS", "PERMISSIONS", "DESCRIPTION"], rows, run.terminal.columns)}${answer.plugins.map(formatReason).join("")}`,
  );
}

function formatReason({ status }: PluginView): string {
  return status.kind === "active" ? "" : `${oneLine(status.reason)}\n`;
}

async function showPlugin(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<PluginAnswer>(path`/api/plugins/${name}`);
  run.print(answer, formatPlugin(answer));
}

async function disablePlugin(run: Run, name: string): Promise<undefined> {
  run.print(
    await run.send<PluginAnswer>("POST", `${path`/api/plugins/${name}`}/disable`),
    `Disabled ${name}.\n`,
  );
}

async function removePlugin(run: Run, name: string): Promise<undefined> {
  run.print(await run.send<object>("DELETE", path`/api/plugins/${name}`), `Removed ${name}.\n`);
}

function formatEnabled({ name, tools, warnings }: PluginView): string {
  const leftOutLines = warnings.map((warning) => `  left out: ${warning}\n`).join("");
  const names = tools.map((tool) => `  ${tool.name}\n`).join("");
  return `Enabled ${name} with ${counted(tools.length, "tool")}:\n${names}${leftOutLines}Next: toolkeep toolbox add TOOLBOX ${tools[0]?.name ?? "TOOL"}, or plugin:${name}:* for all tools\n`;
}

/** A path starts with `.`, `/` or `~`; everything else is a package. */
function parseSource({ terminal }: Run, source: string, link: boolean): Pick<NewPlugin, "kind" | "spec"> {
  const isPath = /^(\.{0,2}\/|\.{1,2}$|~(\/|$))/.test(source);
  if (!isPath && link)
    throw new ToolkeepError(
      "BAD_USAGE",
      `--link only works with folders, such as ./${source}; got a package`,
    );
  if (!isPath) return { kind: "npm", spec: source };
  const kind = link ? "link" : "folder";
  if (source.startsWith("~")) return { kind, spec: join(homedir(), source.slice(1)) };
  if (!isAbsolute(source) && readRemoteDaemon(terminal.env))
    throw new ToolkeepError(
      "BAD_USAGE",
      "the daemon is remote; give the absolute path of the folder on its machine",
    );
  return { kind, spec: resolve(terminal.cwd, source) };
}
