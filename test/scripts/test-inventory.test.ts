import { spawnSync } from "node:child_process";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempHome } from "../support/temp-home.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/test-inventory.mjs");
const SUMS = `
  describe("sums", () => {
    it("adds", () => {
      expect(1 + 1).toBe(2);
      expect([1]).toEqual([expect.any(Number)]);
    });
    it.each([[1, 2], [3, 4]])("%d is less than %d", (less, more) => expect(less).not.toBeGreaterThan(more));
  });`;

test("a test that moved is not missing; a title, a row and an expectation that are gone are named", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "test");
  await mkdir(folder);
  await writeFile(join(folder, "sums.test.ts"), SUMS);
  git(home.path, "init", "--quiet");
  git(home.path, "add", ".");
  git(home.path, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "-m", "base");

  await rename(join(folder, "sums.test.ts"), join(folder, "moved.test.ts"));
  expect(inventory(home.path, "HEAD")).toEqual({ code: 0, lines: ["0 missing of 8"] });

  const less = SUMS.replace("[3, 4]", "")
    .replace('"adds"', '"sums up"')
    .replace("expect(1 + 1).toBe(2);", "");
  await writeFile(join(folder, "moved.test.ts"), less);
  expect(inventory(home.path, "HEAD")).toEqual({
    code: 1,
    lines: [
      "missing title of test/sums.test.ts: adds",
      "missing expectation of test/sums.test.ts: expect(1 + 1).toBe(2)",
      "missing row of test/sums.test.ts: %d is less than %d: [3, 4]",
      "3 missing of 8",
    ],
  });
  expect(inventory(home.path, "--at", "HEAD")).toEqual({
    code: 0,
    lines: ["test/sums.test.ts: 3 titles, 3 expectations", "  sums", "  adds", "  %d is less than %d"],
  });
});

function inventory(cwd: string, ...args: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, ...args], { cwd, encoding: "utf8" });
  return { code: status, lines: stdout.trimEnd().split("\n") };
}

function git(cwd: string, ...args: string[]) {
  expect(spawnSync("git", args, { cwd, encoding: "utf8" })).toMatchObject({ status: 0 });
}
