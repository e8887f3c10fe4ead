import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../../src/surfaces/cli/program.ts";
import { getCommandPath, Shell } from "../../../../src/surfaces/cli/shell.ts";
import { testApi } from "../../../support/test-api.ts";
import { typed } from "../../../support/typed.ts";

/** Every command that deletes or revokes, as somebody would type it. A new one that does belongs here. */
const DESTRUCTIVE = [
  "agent delete x",
  "connect cursor --undo",
  "memory forget mem_1",
  "person remove eve",
  "person sign-out eve",
  "person sign-out eve ses_1",
  "plugin remove x",
  "project delete TK",
  "restore backup.json.gz --force",
  "rule clear-labels --agent x",
  "rule remove rul_1",
  "secret delete X",
  "server auth x --sign-out",
  "server remove x",
  "service uninstall",
  "source remove x",
  "ticket delete TK-1",
  "token revoke tok_1",
  "tool remove x",
  "toolbox delete x",
  "trust --revoke",
];

/** They add or let something in, and ask because of that. */
const ASK_TO_LET_IN = ["import", "plugin add", "plugin enable", "plugin update", "tool enable", "trust"];
/** Lists, of which a word is taken out and put back with the same word. */
const TAKE_FROM_LISTS = ["toolbox remove"];

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function allCommands(): Command[] {
  const terminal = { out() {}, err() {} } as never;
  return leaves(createProgram(new Shell({ terminal, connect: () => Promise.reject() }), "1"));
}

const named = (command: Command) => getCommandPath(command).replace(/^toolkeep /, "");
const isTyped = (line: string, name: string) => line === name || line.startsWith(`${name} `);

describe("commands that delete or revoke", () => {
  it("are those that take --yes, beside those that let something in", () => {
    const withYes = allCommands().filter((command) => command.options.some(({ long }) => long === "--yes"));
    const others = withYes.map(named).filter((name) => !ASK_TO_LET_IN.includes(name));
    const wanted = [...new Set(others)].filter((name) => !DESTRUCTIVE.some((line) => isTyped(line, name)));
    expect(wanted).toEqual([]);
    const without = DESTRUCTIVE.filter((line) => !withYes.some((command) => isTyped(line, named(command))));
    expect(without).toEqual([]);
  });

  it("are all that are named or described as such", () => {
    const WORDS = /\b(delete|remove|revoke|forget|uninstall|sign-out|clear-labels|purge|destroy|undo)\b/;
    const suspects = allCommands().filter(
      (command) =>
        WORDS.test(command.name()) ||
        command.options.some(({ long }) => /^--(undo|sign-out)$/.test(long ?? "")),
    );
    const unlisted = suspects
      .map(named)
      .filter((name) => !TAKE_FROM_LISTS.includes(name) && !DESTRUCTIVE.some((line) => isTyped(line, name)));
    expect(unlisted).toEqual([]);
    expect(suspects.length).toBeGreaterThan(10);
  });

  it("change nothing without a terminal or with --json, and say to pass --yes", async () => {
    const changes: string[] = [];
    await using api = await testApi({
      routes: (app) =>
        void app.addHook("onRequest", async ({ method, url }) => {
          if (method !== "GET") changes.push(`${method} ${url}`);
        }),
    });
    const env = {
      HOME: api.home,
      TOOLKEEP_HOME: api.home,
      TOOLKEEP_URL: "http://127.0.0.1:1",
      TOOLKEEP_TOKEN: "x",
    };
    for (const line of DESTRUCTIVE) {
      const plain = await typed(api, line.split(" "), { env });
      expect(plain, line).toMatchObject({ code: 2, out: "" });
      expect(plain.err, line).toContain("cannot ask without a terminal; pass --yes");
      const json = await typed(api, [...line.split(" "), "--json"], { env, interactive: true });
      expect(json.code, line).toBe(2);
      expect(json.out, line).toContain("cannot ask with --json; pass --yes");
    }
    expect(changes).toEqual([]);
  });

  it("do it with --yes", async () => {
    await using api = await testApi({ toolboxes: { x: ["read_file"] } });
    expect((await typed(api, ["toolbox", "delete", "x"])).code).toBe(2);
    expect((await api.request("GET", "/api/toolboxes/x")).status).toBe(200);
    expect(await typed(api, ["toolbox", "delete", "x", "--yes"])).toMatchObject({ code: 0, err: "" });
    expect((await api.request("GET", "/api/toolboxes/x")).status).toBe(404);
  });
});
