import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RuledTool } from "../../../../src/call/rules/compiled-rule.ts";
import { Rules } from "../../../../src/call/rules/rules.ts";
import type { Rule } from "../../../../src/machine/config/settings.ts";
import { Dice } from "../../../support/dice.ts";
import { atLength } from "../../../support/length.ts";
import { testNative, textOf } from "../../../support/native.ts";
import { spelledPath } from "../../../support/path-spellings.ts";
import { filesystem, testHub } from "../../../support/test-hub.ts";

const FILES = ["private/p.txt", "private/deep/d.txt", "private/..\\q.txt", "ok/o.txt", "q.txt"];
const SEED = Number(process.env.TEST_SEED ?? 4_219);

interface OpenedSpelling {
  readonly path: string;
  /** What the tool read. */
  readonly file: string;
}

async function writeFiles(root: string): Promise<void> {
  for (const file of FILES) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), `<<${file}>>`);
  }
}

/** The spellings for which `read` says what file it opened. */
async function findOpened(
  root: string,
  count: number,
  read: (path: string) => Promise<string>,
): Promise<readonly OpenedSpelling[]> {
  const dice = new Dice(SEED);
  const opened: OpenedSpelling[] = [];
  for (let made = 0; made < count; made++) {
    const path = spelledPath(dice, root, FILES);
    const [, file] = /<<(.+)>>/.exec(await read(path)) ?? [];
    if (file !== undefined) opened.push({ path, file });
  }
  return opened;
}

/** Spellings that a rule understood differently from the tool. */
function findMisread(
  opened: readonly OpenedSpelling[],
  tool: RuledTool,
  root: string,
): readonly OpenedSpelling[] {
  const pathBase = () => ({ workspace: root, userHome: "/home/ada", startedIn: process.cwd() });
  const matches = (action: Rule["action"], pattern: string, path: string) =>
    new Rules([{ permission: "it", pattern: { path: pattern }, action, from: "user" }], {
      userHome: "/home/ada",
    }).decide(tool, { args: { path }, pathBase }).rule !== "default: allow";
  return opened.filter(({ path, file }) =>
    ["private", "ok"].some((folder) => {
      const isIn = file.startsWith(`${folder}/`);
      return [`${folder}/**`, `${root}/${folder}/**`, `**/${folder}/**`].some((glob) =>
        isIn ? !matches("deny", glob, path) : matches("allow", glob, path),
      );
    }),
  );
}

function tool(origin: string): RuledTool {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } };
  return { name: "it", origin, ownName: "it", capabilities: ["fs.read"], inputSchema };
}

describe(`what a path rule says of a spelling is true of the file that is opened (TEST_SEED=${SEED})`, () => {
  it("by the native tools", async () => {
    await using t = await testNative();
    await t.call("list_directory");
    await writeFiles(t.workspace);
    const opened = await findOpened(t.workspace, atLength(3_000, 400), async (path) =>
      textOf(await t.call("read_file", { path })),
    );
    expect(findMisread(opened, tool("native"), t.workspace)).toEqual([]);
    expect(opened.filter(({ path }) => /\/proc\/|\/dev\/fd/.test(path))).toEqual([]);
    expect(opened.filter(({ path }) => path.includes("\\") && path.includes(".."))).toEqual([]);
    expect(opened.filter(({ file }) => file.startsWith("private/")).length).toBeGreaterThan(
      atLength(150, 20),
    );
    expect(opened.filter(({ path }) => /^\s*file:/i.test(path)).length).toBeGreaterThan(atLength(50, 6));
  }, 60_000);

  it("by the official filesystem server", async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "toolkeep-spelled-")));
    try {
      await writeFiles(root);
      await using t = await testHub({ servers: { fs: { ...filesystem(root), cwd: root } } });
      await t.hub.upstream.settled();
      const opened = await findOpened(root, atLength(600, 120), async (path) => {
        const { content } = await t.call("mcp_fs_read_text_file", { path });
        return content.map(({ text }) => String(text)).join("\n");
      });
      expect(findMisread(opened, { ...tool("mcp:fs"), startsIn: root }, root)).toEqual([]);
      expect(opened.filter(({ file }) => file.startsWith("private/")).length).toBeGreaterThan(
        atLength(20, 5),
      );
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }, 60_000);
});
