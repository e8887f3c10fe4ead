import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Argument, Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../../src/contract/errors.ts";
import { OUTCOMES } from "../../../src/contract/tool.ts";
import { completionScript, SHELLS } from "../../../src/surfaces/cli/completion.ts";
import { OUTCOME_EXIT } from "../../../src/surfaces/cli/print/outcome-exit.ts";
import { createProgram } from "../../../src/surfaces/cli/program.ts";
import { Shell } from "../../../src/surfaces/cli/shell.ts";
import type { Terminal } from "../../../src/surfaces/cli/terminal.ts";
import { expectPinned } from "../../support/pinned.ts";
import { tempHome } from "../../support/temp-home.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8");
const program = createProgram(
  new Shell({ terminal: silentTerminal(), connect: () => Promise.reject() }),
  "1.2.3",
);
const leaves = leavesOf(program, "toolkeep");

describe("every command", () => {
  it.each(leaves)("$path is in docs/cli.md with all its options", ({ path, command }) => {
    const row = page.split("\n").find((line) => new RegExp(`^\\| \`${path}[ \`]`).test(line));
    expect(row, `a row that begins with ${path}`).toBeDefined();
    const inherited = /server edit|agent edit/.test(path)
      ? rowOf(path.replace("edit", "add"), path.replace("edit", "create"))
      : "";
    const options = command.options.map((option) => option.long!).filter((option) => option !== "--json");
    expect(
      options.filter(
        (option) =>
          !`${row}${inherited}`.includes(`\`${option}`) && !`${row}${inherited}`.includes(`${option} `),
      ),
    ).toEqual([]);
  });

  it.each(leaves)("$path has --json and says what it does", ({ command }) => {
    expect(command.helpInformation()).not.toContain("[])");
    expect(command.options.map((option) => option.long)).toContain("--json");
    expect(command.description()).not.toBe("");
  });

  it.each(leaves)("$path shows an example in its help", ({ path, command }) => {
    let help = "";
    command.configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    command.outputHelp();
    expect(help).toContain(`  $ ${path}`);
  });

  it("keeps its name, arguments, options and defaults, which scripts are written against", () => {
    const all = [{ path: "toolkeep", command: program }, ...leaves];
    const lines = all.map(({ path, command }) => {
      const aliases = command.aliases().map((alias) => `alias ${alias}`);
      const args = command.registeredArguments.map((argument) => [
        humanReadable(argument),
        ...valuesOf(argument),
      ]);
      const options = command.options.map((option) => [
        option.flags,
        ...(option.mandatory ? ["mandatory"] : []),
        ...valuesOf(option),
      ]);
      return [path, ...aliases, ...[...args, ...options].map((words) => words.join(" "))].join("  ");
    });
    expectPinned("commands.txt", `${lines.join("\n")}\n`);
  });

  it("in docs/cli.md exists", () => {
    const documented = [...page.matchAll(/^\| `(toolkeep [a-z -]+[a-z])/gm)].map((match) => match[1]!);
    const known = leaves.map((leaf) => leaf.path);
    expect(documented.filter((path) => !known.includes(path.trim()))).toEqual([]);
  });
});

describe("exit codes", () => {
  it("of calls follow from the outcome, as documented", () => {
    const section = page.slice(page.indexOf("`toolkeep call` follows"), page.indexOf("Ctrl-C cancels"));
    const documented: Record<string, number> = {};
    for (const [, names, code] of section.matchAll(/((?:`\w+`[,\s]*)+) (\d)/g)) {
      for (const [, name] of names!.matchAll(/`(\w+)`/g)) documented[name!] = Number(code);
    }
    expect(documented).toEqual(OUTCOME_EXIT);
    expect(Object.keys(OUTCOME_EXIT).sort()).toEqual([...OUTCOMES].sort());
  });

  it("of errors are all in the table", () => {
    const documented = [...page.matchAll(/^\| (\d) \|/gm)].map((match) => Number(match[1]));
    const used = [...Object.values(OUTCOME_EXIT), ...Object.values(ERRORS).map((error) => error.exit)];
    expect([...new Set(used)].sort()).toEqual(documented);
  });
});

describe("completion", () => {
  it.each(SHELLS)("for %s is a script that the shell accepts", async (shell) => {
    if (spawnSync(shell, ["--version"]).error) {
      console.log(`${shell} is not installed here, so its completion script was not checked by it`);
      return;
    }
    await using folder = await tempHome();
    const file = join(folder.path, "script");
    await writeFile(file, completionScript(shell, program));
    const checked = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    expect([checked.status, checked.stderr]).toEqual([0, ""]);
  });

  it.each([
    [["ser"], ["serve", "service", "server"]],
    [["server", "en"], ["enable"]],
    [["agent", "create", "writer", "--to"], ["--toolbox"]],
    [["server", "add", "fs", "--", "npx", "--"], []],
  ])("of %j in bash offers %j", async (words, expected) => {
    await using folder = await tempHome();
    const file = join(folder.path, "script");
    await writeFile(file, completionScript("bash", program));
    const typed = ["toolkeep", ...words].map((word) => `'${word}'`).join(" ");
    const script = `. ${file}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _toolkeep; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stdout.split("\n").filter(Boolean).sort()).toEqual([...expected].sort());
  });

  it.each([
    ["toolkeep ser", ["serve", "server", "service"]],
    ["toolkeep server en", ["enable"]],
    ["toolkeep completion ", ["bash", "fish", "zsh"]],
  ])("of %j in fish offers %j and no errors", async (typed, expected) => {
    if (spawnSync("fish", ["--version"]).error) {
      console.log("fish is not installed here, so its completion was not tried");
      return;
    }
    await using folder = await tempHome();
    const file = join(folder.path, "script");
    await writeFile(file, completionScript("fish", program));
    const script = `source ${file}; complete -C ${JSON.stringify(typed)}`;
    const { stdout, stderr } = spawnSync("fish", ["-c", script], { encoding: "utf8", cwd: folder.path });
    const words = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t")[0]);
    expect([words.filter((word) => word !== "script").sort(), stderr]).toEqual([expected, ""]);
  });

  it("knows every command and option in every shell", () => {
    for (const shell of SHELLS) {
      const script = completionScript(shell, program);
      for (const { command } of leaves) {
        expect(script).toContain(command.name());
        for (const option of command.options) expect(script).toContain(option.long!.replace(/^--/, ""));
      }
    }
  });
});

function rowOf(...paths: string[]): string {
  return page
    .split("\n")
    .filter((line) => paths.some((path) => line.startsWith(`| \`${path} `)))
    .join("");
}

function leavesOf(command: Command, path: string): { path: string; command: Command }[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`));
}

function silentTerminal(): Terminal {
  return {
    env: {},
    cwd: "/",
    interactive: false,
    screen: false,
    columns: 80,
    out() {},
    err() {},
    read: async () => "",
    signal: new AbortController().signal,
  };
}

/** `<name>`, `[command...]` */
function humanReadable(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** What may be given, and what counts where nothing is. */
function valuesOf({ defaultValue, argChoices }: Argument | Option): string[] {
  return [
    ...(argChoices ? [`of ${argChoices.join("|")}`] : []),
    ...(defaultValue === undefined ? [] : [`= ${JSON.stringify(defaultValue)}`]),
  ];
}
