import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../../src/contract/tool.ts";
import { platformLogsTool } from "../../../src/features/admin/logs.ts";
import { RecentLines } from "../../../src/features/admin/recent-lines.ts";
import { testCaller } from "../../support/tools.ts";

const AT = Date.parse("2026-11-16T12:00:00Z");

function logged(level: number, msg: string, fields: object = {}): string {
  return JSON.stringify({ level, time: AT, ...fields, msg });
}

async function read(lines: readonly string[], args: Record<string, unknown> = {}): Promise<ToolResult> {
  const { run } = platformLogsTool({ recentLog: () => lines });
  return run(args, {
    callId: "call_1",
    caller: testCaller(),
    signal: new AbortController().signal,
    progress: () => {},
  });
}

describe("get_platform_logs", () => {
  test("gives the newest lines, oldest first, by level and words", async () => {
    const lines = [
      logged(30, "settings applied", { files: ["a.json"] }),
      logged(40, "a server failed", { server: "fs" }),
      logged(50, "a call failed inside Toolkeep"),
      logged(30, "listening"),
    ];
    expect(await read(lines, { limit: 2 })).toMatchObject({
      structured: {
        lines: [
          "2026-11-16T12:00:00.000Z error a call failed inside Toolkeep",
          "2026-11-16T12:00:00.000Z info listening",
        ],
        matching: 4,
      },
    });
    expect(await read(lines, { level: "warn" })).toMatchObject({ structured: { matching: 2 } });
    expect(await read(lines, { words: "FAILED server" })).toMatchObject({
      structured: { lines: ['2026-11-16T12:00:00.000Z warn a server failed {"server":"fs"}'] },
    });
  });

  test("shows nothing that looks like a credential, and lines that are no JSON as they are", async () => {
    const key = `ghp_${"a1B2".repeat(9)}`;
    const result = await read([logged(50, "refused", { cause: `bad key ${key}` }), "half a li"]);
    expect(JSON.stringify(result)).not.toContain(key);
    expect(JSON.stringify(result)).toContain("[redacted github_token]");
    expect(JSON.stringify(result)).toContain("half a li");
  });

  test("is not available in a process that keeps no lines", () => {
    expect(platformLogsTool({}).status()).toMatchObject({ kind: "unavailable" });
  });
});

describe("the newest lines of a log", () => {
  test("are a thousand, each cut at 4,000 characters", () => {
    const lines = new RecentLines();
    lines.add("first");
    expect(lines.all()).toEqual(["first"]);
    for (let index = 0; index < 1_500; index++) lines.add(`${index} ${"x".repeat(5_000)}`);
    const all = lines.all();
    expect(all).toHaveLength(1_000);
    expect(all[0]).toMatch(/^500 /);
    expect(all.at(-1)).toMatch(/^1499 /);
    expect(all.at(-1)).toHaveLength(4_000);
  });
});
