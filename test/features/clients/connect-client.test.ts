import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Access, Scope } from "../../../src/features/clients/client.ts";
import { CLIENTS, findClient } from "../../../src/features/clients/clients.ts";
import {
  connectClient,
  disconnectClient,
  findTargetFile,
  isInstalled,
  readConnection,
  removeServers,
  restoreServers,
} from "../../../src/features/clients/connect-client.ts";
import { listServers } from "../../../src/features/clients/list-servers.ts";
import { parseSettings, valueIn } from "../../../src/machine/config/edit/settings-document.ts";
import { type ClientHome, clientHome } from "../../support/client-home.ts";

const OWN_URL = "http://127.0.0.1:19850/mcp";
const access = (token = "tk_sk_one"): Access => ({
  url: OWN_URL,
  token,
  command: "/usr/bin/node",
  args: ["/opt/toolkeep/bin/toolkeep", "stdio"],
  env: { TOOLKEEP_HOME: "/home/me/.toolkeep", TOOLKEEP_TOKEN: token },
});

/** A person's own file for each client, with remarks where the client allows them. */
const FILES: Readonly<Record<string, readonly [name: string, text: string]>> = {
  "claude-code": [
    ".claude.json",
    '{\n  "numStartups": 7,\n  "projects": {\n    "/x": { "mcpServers": {} }\n  }\n}',
  ],
  "claude-desktop": [
    ".config/Claude/claude_desktop_config.json",
    '{\n    "mcpServers": {\n        "fs": { "command": "npx", "args": ["fs"] }\n    }\n}\n',
  ],
  cursor: [".cursor/mcp.json", '{"mcpServers":{"a":{"url":"https://a.example"}}}'],
  vscode: [
    ".config/Code/User/mcp.json",
    '{\n\t// mine\n\t"servers": {\n\t\t"a": { "command": "a" }, // the best\n\t},\n\t"inputs": [],\n}\n',
  ],
  windsurf: [".codeium/windsurf/mcp_config.json", "{}"],
  codex: [".codex/config.toml", '# mine\nmodel = "gpt" # the best\n\n[mcp_servers.a]\ncommand = "a"\n'],
  gemini: [".gemini/settings.json", '{\r\n  "theme": "x"\r\n}\r\n'],
  opencode: [".config/opencode/opencode.json", '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'],
};

async function prepared(home: ClientHome, id: string, scope: Scope = "user") {
  const client = findClient(id);
  const host = home.host();
  const target = await findTargetFile(client, host, scope);
  const deps = { host, clock: () => 1_800_000_000_000, ownUrl: OWN_URL };
  return {
    client,
    target,
    deps,
    connect: (token?: string) => connectClient(client, target, access(token), deps),
    undo: () => disconnectClient(client, target, deps),
    state: async () => (await readConnection(client, target, deps)).state,
    text: () => readFile(target.path, "utf8"),
  };
}

describe.each(Object.entries(FILES))("%s", (id, [name, text]) => {
  it("is connected in its own file, everything else kept, and undone to the letter", async () => {
    await using home = await clientHome();
    const path = await home.write(name, text, 0o640);
    const it = await prepared(home, id);
    expect(it.target.path).toBe(path);

    const written = await it.connect();
    expect(await it.state()).toBe("connected");
    const now = await it.text();
    for (const remark of text.match(/(\/\/|#) ?\w+/g) ?? []) expect(now).toContain(remark);
    const settings = parseSettings(path, now);
    const key = [...it.client.container({}), "toolkeep"];
    expect(settings.ok && valueIn(settings.value, key)).toEqual(it.client.entry(access()));

    expect(basename(written.backup ?? "")).toMatch(/\.toolkeep-backup-2027-01-15T08-00-00-000Z$/);
    expect(dirname(written.backup ?? "")).toBe(dirname(path));
    expect(await readFile(written.backup ?? "", "utf8")).toBe(text);
    for (const file of [path, written.backup ?? ""]) expect((await stat(file)).mode & 0o777).toBe(0o640);

    expect(await it.undo()).toEqual({ file: path, removedFile: false, restored: [], stayOut: [] });
    expect(await it.text()).toBe(text);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(await it.state()).toBe("absent");
    expect(await readFile(written.backup ?? "", "utf8")).toBe(text);
    expect(await it.undo()).toBeUndefined();
  });

  it("gets a file of its own where it has none, readable by its owner only, which undo removes", async () => {
    await using home = await clientHome();
    const it = await prepared(home, id);
    const written = await it.connect();
    expect(written).toMatchObject({ backup: null, created: true, mode: 0o600 });
    expect((await stat(it.target.path)).mode & 0o777).toBe(0o600);
    expect(await it.state()).toBe("connected");
    expect(await it.undo()).toMatchObject({ file: it.target.path, removedFile: true });
    expect(await readdir(dirname(it.target.path))).not.toContain(basename(it.target.path));
  });

  it("is undone also when the file was changed meanwhile, and the change stays", async () => {
    await using home = await clientHome();
    const path = await home.write(name, text);
    const it = await prepared(home, id);
    await it.connect();
    const changed = path.endsWith(".toml")
      ? `${await it.text()}\n[mcp_servers.later]\ncommand = "later"\n`
      : (await it.text()).replace("{", '{ "later": true,');
    await writeFile(path, changed);
    await it.undo();
    const after = await it.text();
    expect(after).not.toContain("toolkeep");
    expect(after).toContain("later");
    const [now, before] = [parseSettings(path, after), parseSettings(path, text)];
    const later = path.endsWith(".toml")
      ? { mcp_servers: { a: { command: "a" }, later: { command: "later" } } }
      : { later: true };
    expect(now.ok && now.value).toEqual({ ...(before.ok ? before.value : {}), ...later });
  });

  it("connected again has one entry, and undo finds the text of before both", async () => {
    await using home = await clientHome();
    await home.write(name, text);
    const it = await prepared(home, id);
    await it.connect("tk_sk_one");
    await it.connect("tk_sk_two");
    const now = await it.text();
    expect(now).not.toContain("tk_sk_one");
    expect(now).toContain("tk_sk_two");
    await it.undo();
    expect(await it.text()).toBe(text);
  });

  it("gets back what was moved out of it when it is undone, to the letter", async () => {
    await using home = await clientHome();
    const path = await home.write(name, text);
    const it = await prepared(home, id);
    await it.connect();
    const parsed = parseSettings(path, text);
    const moved = listServers(parsed.ok ? parsed.value : {}, it.target).map((server) => server.path);
    await removeServers(path, moved, it.deps);
    for (const key of moved) {
      const now = parseSettings(path, await it.text());
      expect(now.ok && valueIn(now.value, key)).toBeUndefined();
    }
    expect(await it.undo()).toMatchObject({ restored: moved.map((key) => key.at(-1)), stayOut: [] });
    expect(await it.text()).toBe(text);
  });

  it("is left alone where its file is broken", async () => {
    await using home = await clientHome();
    const path = await home.write(name, `${text} = {{`);
    const it = await prepared(home, id);
    await expect(it.connect()).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining(`${path}: line `),
    });
    expect(await it.text()).toBe(`${text} = {{`);
    expect(await readdir(dirname(path))).toEqual(
      expect.not.arrayContaining([expect.stringContaining("backup")]),
    );
  });
});

describe("connecting", () => {
  it.each([
    ["cursor", ".cursor/mcp.json", "{\n\n}\n"],
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": {   } }'],
    ["cursor", ".cursor/mcp.json", ""],
    ["cursor", ".cursor/mcp.json", "// nothing yet\n"],
    ["cursor", ".cursor/mcp.json", "/* nothing */ // yet"],
    ["codex", ".codex/config.toml", 'model = "x"'],
    ["codex", ".codex/config.toml", "\n\n"],
  ])("and undoing leaves %s with exactly the text of before: %j", async (id, name, text) => {
    await using home = await clientHome();
    await home.write(name, text);
    const it = await prepared(home, id);
    await it.connect();
    expect(await it.state()).toBe("connected");
    await it.undo();
    expect(await it.text()).toBe(text);
  });

  it("refuses where another server has the name", async () => {
    await using home = await clientHome();
    const text = '{"mcpServers": {"toolkeep": {"command": "someone-elses"}}}';
    await home.write(".cursor/mcp.json", text);
    const it = await prepared(home, "cursor");
    await expect(it.connect()).rejects.toMatchObject({ code: "NAME_TAKEN" });
    expect(await it.undo()).toBeUndefined();
    expect(await it.text()).toBe(text);
  });

  it.each([
    ["claude-code", ".mcp.json"],
    ["cursor", ".cursor/mcp.json"],
    ["vscode", ".vscode/mcp.json"],
    ["codex", ".codex/config.toml"],
    ["gemini", ".gemini/settings.json"],
    ["opencode", "opencode.json"],
  ])("writes into the project's file of %s", async (id, file) => {
    await using home = await clientHome();
    const it = await prepared(home, id, "project");
    const { file: written } = await it.connect();
    expect(written).toBe(join(home.project, file));
    expect(await it.state()).toBe("connected");
  });

  it.each(["claude-desktop", "windsurf"])("knows that %s has no project file", async (id) => {
    await using home = await clientHome();
    await expect(findTargetFile(findClient(id), home.host(), "project")).rejects.toMatchObject({
      code: "BAD_USAGE",
    });
  });

  it("follows a link and leaves it one; the backup stands beside the link", async () => {
    await using home = await clientHome();
    const real = await home.write("dotfiles/cursor.json", '{\n  "mcpServers": {}\n}\n', 0o644);
    await mkdir(join(home.home, ".cursor"));
    const link = join(home.home, ".cursor/mcp.json");
    await symlink(real, link);
    const it = await prepared(home, "cursor");
    const written = await it.connect();
    expect(written).toMatchObject({ file: link, linkedTo: real, mode: 0o644 });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(real, "utf8")).toContain("tk_sk_one");
    expect(await readdir(dirname(real))).toEqual(["cursor.json"]);
    expect(dirname(written.backup ?? "")).toBe(dirname(link));
    await it.undo();
    expect(await readFile(real, "utf8")).toBe('{\n  "mcpServers": {}\n}\n');
  });

  it("does not replace a link that leads nowhere, or a folder", async () => {
    await using home = await clientHome();
    await mkdir(join(home.home, ".cursor"));
    await symlink(join(home.home, "gone"), join(home.home, ".cursor/mcp.json"));
    await mkdir(join(home.home, ".gemini/settings.json"), { recursive: true });
    for (const id of ["cursor", "gemini"]) {
      const it = await prepared(home, id);
      await expect(it.connect()).rejects.toMatchObject({ code: "BAD_REQUEST" });
    }
    expect((await lstat(join(home.home, ".cursor/mcp.json"))).isSymbolicLink()).toBe(true);
  });

  it("says so where the folder cannot be written, and leaves no temporary file", async () => {
    if (process.getuid?.() === 0) return console.log("left out: root may write everywhere");
    await using home = await clientHome();
    const path = await home.write(".cursor/mcp.json", "{}");
    await chmod(dirname(path), 0o500);
    const it = await prepared(home, "cursor");
    await expect(it.connect()).rejects.toMatchObject({ message: expect.stringContaining("stays as it is") });
    await chmod(dirname(path), 0o700);
    expect(await readdir(dirname(path))).toEqual(["mcp.json"]);
  });

  it("uses opencode's file that exists, and its newer place where it is used", async () => {
    await using home = await clientHome();
    const path = await home.write(".config/opencode/opencode.jsonc", '{ "mcp": { "servers": {} } }');
    const it = await prepared(home, "opencode");
    expect(it.target.path).toBe(path);
    await it.connect();
    const settings = parseSettings(path, await it.text());
    expect(settings.ok && settings.value).toEqual({
      mcp: { servers: { toolkeep: it.client.entry(access()) } },
    });
  });

  it("refuses a file that says the servers in a way it cannot add to", async () => {
    await using home = await clientHome();
    const text = 'mcp_servers = { a = { command = "a" } }\n';
    await home.write(".codex/config.toml", text);
    const it = await prepared(home, "codex");
    await expect(it.connect()).rejects.toMatchObject({ message: expect.stringContaining("--print") });
    expect(await it.text()).toBe(text);
  });
});

describe("a client", () => {
  it("is found by its folder or its file", async () => {
    await using home = await clientHome();
    const found = async () => {
      const all = await Promise.all(
        CLIENTS.map(async (client) => (await isInstalled(client, home.host())) && client.id),
      );
      return all.filter(Boolean);
    };
    expect(await found()).toEqual([]);
    await mkdir(join(home.home, ".cursor"));
    await home.write(".claude.json", "{}");
    await home.write("project/.vscode/mcp.json", "{}");
    expect(await found()).toEqual(["claude-code", "cursor"]);
  });

  it("does not get back what a person took out by hand", async () => {
    await using home = await clientHome();
    const path = await home.write(
      ".cursor/mcp.json",
      '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}}}',
    );
    const it = await prepared(home, "cursor");
    await it.connect("tk_sk_one");
    await it.connect("tk_sk_two");
    await writeFile(path, (await it.text()).replace('"a":{"command":"a"},', ""));
    expect(await it.undo()).toMatchObject({ restored: [], stayOut: [] });
    expect(JSON.parse(await it.text())).toEqual({ mcpServers: { b: { command: "b" } } });
  });

  it("gets back what was moved also where the file was changed between connecting and moving", async () => {
    await using home = await clientHome();
    const path = await home.write(".cursor/mcp.json", '{"mcpServers":{"a":{"command":"a"}}}');
    const it = await prepared(home, "cursor");
    await it.connect();
    await writeFile(path, (await it.text()).replace("{", '{"later":true,'));
    await removeServers(path, [["mcpServers", "a"]], it.deps);
    expect(await it.undo()).toMatchObject({ restored: ["a"], stayOut: [] });
    expect(JSON.parse(await it.text())).toEqual({ later: true, mcpServers: { a: { command: "a" } } });
  });

  it("gets servers back in a file that Toolkeep does not stand in, unless it was changed since", async () => {
    await using home = await clientHome();
    const text = '{ "mcpServers": { "a": {}, "b": {} } }\n';
    const path = await home.write(".cursor/mcp.json", text);
    const { target, deps } = await prepared(home, "cursor");
    expect(await restoreServers(target)).toBeUndefined();
    const { backup } = await removeServers(path, [["mcpServers", "a"]], deps);
    const without = await readFile(path, "utf8");
    expect(await restoreServers(target)).toMatchObject({ restored: ["a"], stayOut: [] });
    expect(await readFile(path, "utf8")).toBe(text);
    const changed = without.replace("{", '{ "later": 1,');
    await writeFile(path, changed);
    expect(await restoreServers(target)).toMatchObject({ restored: [], stayOut: [{ names: ["a"], backup }] });
    expect(await readFile(path, "utf8")).toBe(changed);
  });

  it("loses the servers that are moved, and no other", async () => {
    await using home = await clientHome();
    const path = await home.write(
      ".vscode.json",
      '{\n  "servers": {\n    "a": {}, // one\n    "b": {},\n    "c": {}\n  }\n}\n',
    );
    const { deps } = await prepared(home, "cursor");
    const { backup } = await removeServers(
      path,
      [
        ["servers", "a"],
        ["servers", "c"],
      ],
      deps,
    );
    expect(await readFile(path, "utf8")).toBe('{\n  "servers": { // one\n    "b": {}\n  }\n}\n');
    expect(await readFile(backup ?? "", "utf8")).toContain('"a"');
  });
});
