import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grepTool } from "../../../src/features/files/grep.ts";
import { createSerial } from "../../../src/lib/flow/serial.ts";
import { randomId } from "../../../src/lib/id.ts";
import { createGlob } from "../../../src/lib/text/glob.ts";
import { type TestNative, testNative, textOf } from "../../support/native.ts";
import { testCaller } from "../../support/tools.ts";
import { workNow } from "../../support/work-clock.ts";

let t: TestNative;
beforeAll(async () => {
  t = await testNative();
  const files = {
    "src/one.ts": "import x\nconst needle = 1;\nexport x\n",
    "src/deep/two.tsx": "Needle\n",
    "notes.md": "a needle in hay\n",
    ".git/config": "needle\n",
    "node_modules/p/index.js": "needle\n",
    "binary.dat": "needle\0needle",
  };
  for (const [path, content] of Object.entries(files)) {
    const file = join(t.workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await writeFile(join(t.outside, "far.txt"), "needle");
  await symlink(t.outside, join(t.workspace, "away"));
  await symlink(join(t.outside, "far.txt"), join(t.workspace, "far.txt"));
});
afterAll(() => t[Symbol.asyncDispose]());

const grep = async (args: Record<string, unknown>) => textOf(await t.call("grep", args));

describe("grep", () => {
  it("finds lines in text files, without .git, node_modules, binary files and links", async () => {
    expect(await grep({ pattern: "needle" })).toBe(
      "notes.md:1:a needle in hay\nsrc/one.ts:2:const needle = 1;",
    );
  });

  it("takes a path, a glob and case", async () => {
    expect(await grep({ pattern: "needle", path: "notes.md" })).toBe("notes.md:1:a needle in hay");
    expect(await grep({ pattern: "NEEDLE", ignore_case: true, glob: "src/**/*.{ts,tsx}" })).toBe(
      "src/deep/two.tsx:1:Needle\nsrc/one.ts:2:const needle = 1;",
    );
    expect(await grep({ pattern: "needle", glob: "*.ts" })).toBe("src/one.ts:2:const needle = 1;");
    expect(await grep({ pattern: "nothing like it" })).toBe("No matches.");
  });

  it("shows context", async () => {
    expect(await grep({ pattern: "needle", path: "src/one.ts", context: 1 })).toBe(
      "src/one.ts-1-import x\nsrc/one.ts:2:const needle = 1;\nsrc/one.ts-3-export x",
    );
  });

  it("stops at max_results and says that there is more", async () => {
    await writeFile(join(t.workspace, "many.log"), "hit\n".repeat(5_000));
    const found = await grep({ pattern: "hit", path: "many.log", max_results: 3 });
    expect(found.split("\n")).toHaveLength(4);
    expect(found).toContain("(there are more than these 3 matching lines");
    expect(await grep({ pattern: "hit", path: "many.log" })).toContain("more than these 100");
  });

  it("leaves out files over 5 MB and says so, and cuts long lines around the match", async () => {
    await mkdir(join(t.workspace, "sizes"));
    await writeFile(join(t.workspace, "sizes/big.txt"), "y".repeat(5 * 1024 * 1024 + 1));
    await writeFile(join(t.workspace, "sizes/wide.txt"), `${"z".repeat(3_000)}HERE${"z".repeat(3_000)}`);
    expect(await grep({ pattern: "y", path: "sizes" })).toContain("(1 larger than 5 MB skipped)");
    const wide = await grep({ pattern: "HERE", path: "sizes" });
    expect(wide).toContain("HERE");
    expect(wide.length).toBeLessThan(600);
  });

  it("explains a broken pattern, a missing path and an overgrown glob", async () => {
    expect(await grep({ pattern: "(" })).toContain("Correct the pattern");
    expect(await grep({ pattern: "x", path: "nowhere" })).toContain("There is no file or folder");
    expect(await grep({ pattern: "x", glob: "{a,b}".repeat(10) })).toContain("more than 64 alternatives");
  });

  it("ends a catastrophic pattern in time while the event loop stays free", async () => {
    await writeFile(join(t.workspace, "evil.txt"), `${"a".repeat(60)}!`);
    const deps = { home: t.home, newId: randomId, redact: (text: string) => text, serially: createSerial() };
    const { run } = grepTool(deps, 500);
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    const result = await run(
      { pattern: "^(a+)+$", path: "evil.txt" },
      { callId: "c", caller: testCaller(), signal: new AbortController().signal, progress: () => {} },
    );
    clearInterval(ticking);
    expect(textOf(result)).toContain("stopped after 0.5 s");
    expect(ticks).toBeGreaterThan(5);
  });

  it("ends when the call is cancelled", async () => {
    await writeFile(join(t.workspace, "evil.txt"), `${"a".repeat(60)}!`);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 200);
    const result = await t.call("grep", { pattern: "^(a+)+$", path: "evil.txt" }, { signal: cancel.signal });
    expect(textOf(result)).toBe("The call was cancelled.");
  });
});

describe("a glob", () => {
  it.each([
    ["*.ts", "a/b/c.ts", true],
    ["*.ts", "c.tsx", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/a/b.ts", false],
    ["src/**", "src/a/b.ts", true],
    ["**/b.ts", "b.ts", true],
    ["**/x/**/*.js", "a/x/b/c/d.js", true],
    ["./src/?.ts", "src/a.ts", true],
    ["{a,b}/*.{js,ts}", "b/c.ts", true],
    ["{a,b}/*.{js,ts}", "c/c.ts", false],
    ["a.c", "abc", false],
  ])("%s on %s is %s", (pattern, path, expected) => {
    expect(createGlob(pattern)?.(path)).toBe(expected);
  });

  it("takes no exponential time", () => {
    const started = workNow();
    expect(createGlob(`${"*a".repeat(100)}b`)?.("a".repeat(4_000))).toBe(false);
    expect(workNow() - started).toBeLessThan(2_000);
  });
});
