import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkFiles, loadSettings } from "../../../../src/machine/config/load.ts";
import { fileShapeOf } from "../../../../src/machine/config/merge.ts";
import { settingsFolder } from "../settings-folder.ts";

async function read(entry: object) {
  await using folder = await settingsFolder({
    "home/config.json": { mcpServers: { s: { command: "node", ...entry } } },
  });
  const { problems, warnings } = await checkFiles(folder.options);
  const messages = [...problems, ...warnings].map(({ message }) => message.replace(/^.*?: /, ""));
  const settings = problems.length > 0 ? undefined : (await loadSettings(folder.options)).settings;
  return { settings, sandbox: settings?.servers[0]?.sandbox, messages, home: folder.home };
}

const DEFAULTS = {
  network: true,
  read: [],
  write: [],
  memoryMb: null,
  processes: null,
  cpuSecs: null,
  fileMb: null,
};

describe("sandbox in a settings file", () => {
  test.each([
    [true, { mode: "required", ...DEFAULTS }],
    ["auto", { mode: "auto", ...DEFAULTS }],
    [{}, { mode: "required", ...DEFAULTS }],
    [{ mode: "off" }, { mode: "off", ...DEFAULTS }],
    [false, null],
    [null, null],
  ])("%j is read", async (given, expected) => {
    const { sandbox, messages } = await read({ sandbox: given });
    expect(messages).toEqual([]);
    expect(sandbox).toEqual(expected);
  });

  test("paths are meant from the file, limits are checked, and it is written as it was read", async () => {
    const given = {
      network: false,
      read: ["docs", "~/notes"],
      memory_mb: 100,
      processes: 9,
      cpu_secs: 5,
      file_mb: 1,
    };
    const { sandbox, settings, home } = await read({ sandbox: given });
    const paths = [join(home, "docs"), join(homedir(), "notes")];
    expect(sandbox).toMatchObject({
      network: false,
      read: paths,
      memoryMb: 100,
      processes: 9,
      cpuSecs: 5,
      fileMb: 1,
    });
    const { mcp } = fileShapeOf(settings!) as { mcp: { servers: { sandbox: object }[] } };
    expect(mcp.servers[0]?.sandbox).toEqual({ mode: "required", write: [], ...given, read: paths });
  });

  test("what is wrong is named", async () => {
    const wrong = (await read({ sandbox: { memory_mb: 1, networks: true } })).messages.join("\n");
    expect(wrong).toContain("memory_mb: expected a whole number from 16");
    expect(wrong).toContain("networks");
    expect((await read({ sandbox: "always" })).messages.join()).toContain('one of "off", "auto", "required"');
    const remote = await read({ command: undefined, url: "https://x.example/mcp", sandbox: true });
    expect(remote.messages.join()).toContain("has no effect");
  });
});
