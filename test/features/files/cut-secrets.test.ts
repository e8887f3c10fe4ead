import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { atLength } from "../../support/length.ts";
import { testNative, textOf } from "../../support/native.ts";

const SECRET = "hunter2-hunter2-hunter2";
const redact = (text: string) => text.replaceAll(SECRET, "[redacted]");

it.each([
  ["read_file", 2_000, (path: string) => ({ path })],
  ["grep", 400, (path: string) => ({ path, pattern: "^x" })],
  ["grep", 6_700, (path: string) => ({ path, pattern: "MATCH" })],
  ["grep", 7_100, (path: string) => ({ path, pattern: "MATCH" })],
] as const)("%s shows no half of a secret where it cuts a line at %i", async (tool, cut, args) => {
  await using t = await testNative({ redact });
  await t.call("list_directory");
  for (let at = cut - SECRET.length - 2; at <= cut + 2; at += atLength(1, 4)) {
    const line = `${"x".repeat(at)}${SECRET}${"y".repeat(12_000 - at)}`;
    const marked = cut > 5_000 ? `${line.slice(0, 6_800)}MATCH${line.slice(6_805)}` : line;
    await writeFile(join(t.workspace, "line.txt"), marked);
    const said = textOf(await t.call(tool, args("line.txt")));
    expect(said, `at ${at}`).not.toMatch(/hunter|2-h/);
    expect(said.length, `at ${at}`).toBeGreaterThan(350);
  }
});

it("run_shell shows no half of a secret where it leaves out the middle", async () => {
  await using t = await testNative({ redact, shell: { maxOutputBytes: 2_000 } });
  for (const before of [1_000 - 12, 40_000 - 1_000 - 12]) {
    const command = `head -c ${before} /dev/zero | tr '\\0' x; printf %s ${SECRET}; head -c ${40_000 - before - SECRET.length} /dev/zero | tr '\\0' y`;
    const said = textOf(await t.call("run_shell", { command }));
    expect(said).toContain("bytes left out");
    expect(said).not.toMatch(/hunter|2-h/);
  }
});
