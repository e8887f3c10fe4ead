import { describe, expect, test } from "vitest";
import { sanitise } from "../../../src/lib/tool-name.ts";
import { nameTools, type UnnamedTool } from "../../../src/servers/lists/tool-names.ts";
import type { ToolNameRecord } from "../../../src/servers/records.ts";

const NAMING = { template: "mcp_{server}_{tool}", maxLength: 50 };
const NATIVE = new Set(["read_file"]);

describe("a name", () => {
  test("is the template with both parts sanitised", async () => {
    expect(await named([tool("My FS", "Read-Text.File!")])).toEqual(["mcp_my_fs_read_text_file_"]);
    expect(await named([tool("fs", "read")], { template: "{server}__{tool}" })).toEqual(["fs__read"]);
  });

  test("is cut to the limit with a hash that does not change", async () => {
    const long = tool("fs", "a".repeat(100));
    const [name] = await named([long]);
    expect(name).toMatch(/^mcp_fs_a+_[0-9a-f]{6}$/);
    expect(name).toHaveLength(50);
    expect(await named([long])).toEqual([name]);
    expect(await named([{ ...long, originalName: `${"a".repeat(99)}b` }])).not.toEqual([name]);
  });

  test("of a native tool, a script or a plugin is never given to a server's tool", async () => {
    const bare = { template: "{server}_{tool}" };
    expect((await named([tool("read", "file")], bare))[0]).toMatch(/^read_file_[0-9a-f]{6}$/);
    expect(await named([tool("custom", "x"), tool("plugin", "y")], bare)).toEqual([
      "mcp_custom_x",
      "mcp_plugin_y",
    ]);
  });

  test("that is taken stays with who has it, the newcomer gets a hash", async () => {
    const first = await nameTools([tool("My FS", "read")], [], NATIVE, NAMING);
    const second = await nameTools([tool("my-fs", "read")], first, NATIVE, NAMING);
    expect(first[0]!.name).toBe("mcp_my_fs_read");
    expect(second[0]!.name).toMatch(/^mcp_my_fs_read_[0-9a-f]{6}$/);
    expect(
      await nameTools([tool("My FS", "read"), tool("my-fs", "read")], [...first, ...second], NATIVE, NAMING),
    ).toEqual([]);
  });

  test("of a tool in any script is made of what is allowed", async () => {
    const names = await named([tool("fs", "読む"), tool("fs", "書く")]);
    expect(names.every((name) => /^[a-z0-9_]+$/.test(name))).toBe(true);
  });
});

test("whatever comes, names are unique, allowed, short enough, and independent of the order", async () => {
  const random = seededRandom(20261115);
  for (let round = 0; round < 200; round++) {
    const maxLength = 20 + Math.floor(random() * 45);
    const tools = Array.from({ length: 30 }, () => randomTool(random));
    const taken = await nameTools(tools.slice(0, 10), [], NATIVE, { ...NAMING, maxLength });
    const fresh = await nameTools(tools, taken, NATIVE, { ...NAMING, maxLength });
    const shuffled = await nameTools(shuffle(tools, random), taken, NATIVE, { ...NAMING, maxLength });

    expect(byPair(shuffled)).toEqual(byPair(fresh));
    const names = [...taken, ...fresh].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => name.length <= maxLength && /^[a-z0-9_]+$/.test(name))).toBe(true);
    expect(new Set([...taken, ...fresh].map(pair))).toEqual(new Set(tools.map(pair)));
  }
});

test("sanitising twice changes nothing more", () => {
  const random = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const once = sanitise(randomText(random));
    expect(sanitise(once)).toBe(once);
  }
});

function tool(serverName: string, originalName: string): UnnamedTool {
  return { serverId: `srv_${serverName}`, serverName, prefix: sanitise(serverName), originalName };
}

async function named(tools: readonly UnnamedTool[], naming = {}): Promise<string[]> {
  const records = await nameTools(tools, [], NATIVE, { ...NAMING, ...naming });
  return records.map(({ name }) => name);
}

function pair({ serverId, originalName }: { serverId: string; originalName: string }): string {
  return `${serverId} ${originalName}`;
}

function byPair(records: readonly ToolNameRecord[]): Record<string, string> {
  return Object.fromEntries(records.map((record) => [pair(record), record.name]));
}

/** From a small alphabet, so that much collides. */
function randomText(random: () => number): string {
  const alphabet = "aAbB-_. é!";
  return Array.from(
    { length: 1 + Math.floor(random() * 6) },
    () => alphabet[Math.floor(random() * alphabet.length)],
  ).join("");
}

function randomTool(random: () => number): UnnamedTool {
  const long = random() < 0.1 ? "x".repeat(100) : "";
  return tool(["fs", "FS", "f-s", "custom"][Math.floor(random() * 4)]!, long + randomText(random));
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
