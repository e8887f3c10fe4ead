import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { NewPlugin, PluginAnswer, PluginList, PluginView } from "../../../api/contract.ts";
import { remoteDaemon } from "../../client/remote.ts";
import { notATerminal } from "../../input/confirmed.ts";
import { destructive } from "../../input/destructive.ts";
import { permissionText, pluginText, state } from "../../print/plugin-text.ts";
import type { Run, Shell } from "../../shell.ts";

interface Consent {
  readonly yes?: boolean;
  readonly trusted?: boolean;
}

export function pluginCommand(shell: Shell): Command {
  const plugin = shell.group("plugin", "packages that bring tools");

  consenting(
    plugin.leaf(
      "add <source>",
      "fetch a plugin from a folder or npm, show what it may do, enable it",
      addPlugin,
      "./my-plugin",
      "@example/toolkeep-plugin-weather@1.2.0 --name weather",
    ),
  )
    .option("--name <name>", "how it is called here; its tools are plugin_NAME_…")
    .option("--link", "use the folder itself, in the place of a copy: for its author");
  plugin.leaf("list", "list the plugins", listPlugins);
  plugin.leaf("show <name>", "show a plugin, what it may do, its tools and its log", showPlugin, "weather");
  consenting(
    plugin.leaf(
      "enable <name>",
      "show what a plugin may do and let its tools be called",
      enablePlugin,
      "weather",
    ),
  );
  plugin.leaf("disable <name>", "take a plugin out without forgetting it", disablePlugin, "weather");
  consenting(
    plugin.leaf(
      "update <name>",
      "fetch a plugin anew; what it brings is enabled only after a yes",
      updatePlugin,
      "weather",
    ),
  );
  destructive(
    plugin,
    "remove <name>",
    "remove a plugin and its files; its tool names stay taken",
    (name) => `Remove plugin ${name} and its files?`,
    removePlugin,
    "weather",
  );
  return plugin;
}

function consenting(command: Command): Command {
  return command
    .option("--yes", "do not ask")
    .option("--trusted", "believe what it says about its tools (read-only, may run beside others)");
}

async function addPlugin(
  run: Run,
  source: string,
  options: Consent & { readonly name?: string; readonly link?: boolean },
): Promise<undefined> {
  const { kind, spec } = sourceOf(run, source, options.link === true);
  const body: NewPlugin = { kind, spec, ...(options.name !== undefined && { name: options.name }) };
  const label = kind === "npm" ? `installing ${spec} with npm` : `reading ${spec}`;
  const answer = await run.progress(label, run.send<PluginAnswer>("POST", "/api/plugins", body));
  await offer(run, answer, options, "Added");
}

async function updatePlugin(run: Run, name: string, options: Consent): Promise<undefined> {
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
      isSame ? `${name} ${version} is what was there already.\n` : `Updated ${name} to ${version}.\n`,
    );
    return;
  }
  if (isSame) return void (await offer(run, answer, options, `${name} ${version} was there already`));
  await offer(run, answer, options, `Updated (${before.plugin.version} → ${version})`);
}

/** Enables what was just fetched, where somebody says so; else says how to. */
async function offer(run: Run, answer: PluginAnswer, options: Consent, done: string): Promise<undefined> {
  const { plugin } = answer;
  const canAsk = run.terminal.interactive && !run.json;
  if (options.yes || canAsk) {
    run.terminal.err(`${permissionText(plugin)}\n`);
    if (options.yes || (await agrees())) {
      const enabled = await agree(run, plugin, options);
      run.print(enabled, `${done}. ${enabledText(enabled.plugin)}`);
      return;
    }
  }
  const { name } = plugin;
  const shown = canAsk ? "" : `${permissionText(plugin)}\n`;
  run.print(
    answer,
    `${shown}${done}, not enabled. Once you have read what it may do: toolkeep plugin enable ${name}\n`,
  );
}

async function enablePlugin(run: Run, name: string, options: Consent): Promise<undefined> {
  const { plugin } = await run.get<PluginAnswer>(path`/api/plugins/${name}`);
  run.terminal.err(`${permissionText(plugin)}\n`);
  if (!options.yes) {
    if (!run.terminal.interactive || run.json)
      throw notATerminal(
        run,
        "NOT_TRUSTED",
        "reading what the plugin may do",
        `toolkeep plugin enable ${name} --yes`,
      );
    if (!(await agrees())) throw new ToolkeepError("CANCELLED", `plugin ${name} was not enabled`);
  }
  const answer = await agree(run, plugin, options);
  run.print(answer, enabledText(answer.plugin));
}

/** For exactly the files that were shown. */
function agree(run: Run, { name, sha256, status }: PluginView, { trusted }: Consent): Promise<PluginAnswer> {
  if (sha256 === null)
    throw new ToolkeepError("BAD_REQUEST", status.kind === "active" ? "it cannot be used" : status.reason);
  return run.progress(
    `starting ${name} and asking for its tools`,
    run.send<PluginAnswer>("POST", `${path`/api/plugins/${name}`}/enable`, {
      sha256,
      ...(trusted && { trusted }),
    }),
  );
}

async function agrees(): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const message = "Enable it?";
  return (await confirm({ message, initialValue: false, output: process.stderr })) === true;
}

async function listPlugins(run: Run): Promise<undefined> {
  const answer = await run.get<PluginList>("/api/plugins");
  const rows = answer.plugins.map((plugin) => [
    plugin.name,
    plugin.version,
    state(plugin),
    plugin.tools.length,
    plugin.may.length === 0 ? "nothing" : counted(plugin.may.length, "right"),
    plugin.description,
  ]);
  run.print(
    answer,
    rows.length === 0
      ? "There are no plugins. Add one: toolkeep plugin add ./FOLDER, or the name of a package\n"
      : `${table(["NAME", "VERSION", "STATE", "TOOLS", "MAY", "DESCRIPTION"], rows, run.terminal.columns)}${answer.plugins.map(whyNot).join("")}`,
  );
}

function whyNot({ status }: PluginView): string {
  return status.kind === "active" ? "" : `${oneLine(status.reason)}\n`;
}

async function showPlugin(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<PluginAnswer>(path`/api/plugins/${name}`);
  run.print(answer, pluginText(answer));
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

function enabledText({ name, tools, warnings }: PluginView): string {
  const left = warnings.map((warning) => `  left out: ${warning}\n`).join("");
  const names = tools.map((tool) => `  ${tool.name}\n`).join("");
  return `Enabled ${name} with ${counted(tools.length, "tool")}:\n${names}${left}Next: toolkeep toolbox add TOOLBOX ${tools[0]?.name ?? "TOOL"}, or plugin:${name}:* for all of them\n`;
}

/** A path begins with `.`, `/` or `~`; everything else is a package. */
function sourceOf({ terminal }: Run, source: string, link: boolean): Pick<NewPlugin, "kind" | "spec"> {
  const isPath = /^(\.{0,2}\/|\.{1,2}$|~(\/|$))/.test(source);
  if (!isPath && link)
    throw new ToolkeepError("BAD_USAGE", `--link is for folders, such as ./${source}; got a package`);
  if (!isPath) return { kind: "npm", spec: source };
  const kind = link ? "link" : "folder";
  if (source.startsWith("~")) return { kind, spec: join(homedir(), source.slice(1)) };
  if (!isAbsolute(source) && remoteDaemon(terminal.env))
    throw new ToolkeepError("BAD_USAGE", "the daemon is elsewhere: give the whole path of the folder there");
  return { kind, spec: resolve(terminal.cwd, source) };
}
