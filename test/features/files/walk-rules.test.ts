import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/machine/config/settings.ts";
import { inDeep } from "../../support/length.ts";
import { tempHome } from "../../support/temp-home.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";

const FILES = {
  "private/p.txt": "SECRET p",
  "private/deep/d.txt": "SECRET d",
  "private/pub/shown.txt": "SECRET shown",
  "src/.env": "SECRET env",
  "src/a.ts": "SECRET a",
  ".env": "SECRET root env",
};

type Written = Omit<Rule, "from">;
const deny = (path: string | string[], more: Partial<Written> = {}): Written => ({
  ...{ permission: "fs.read", pattern: { path }, action: "deny" },
  ...more,
});
const FINAL = [deny("private/**", { final: true }), deny("**/.env", { final: true })];

async function opened(rules: readonly Written[], home?: string): Promise<TestHub> {
  const t = await testHub({ rules, agents: { ada: [] }, ...(home !== undefined && { home }) });
  await fill(join(t.home, "workspaces/ada"));
  return t;
}

async function fill(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function answer(t: TestHub, tool: string, args: unknown): Promise<string> {
  const { outcome, content, error } = await t.call(tool, args, "ada");
  const texts = content.map(({ text }) => String(text)).join("\n");
  return outcome === "ok" ? texts : `${outcome}: ${error?.message ?? texts}`;
}

describe("a walk leaves out what a rule denies or asks about", () => {
  it("in grep, which says how much that was", async () => {
    await using t = await opened(FINAL);
    expect(await answer(t, "grep", { pattern: "SECRET" })).toBe(
      "src/a.ts:1:SECRET a\n(2 files and 1 folder left out by rules)",
    );
    expect(await answer(t, "grep", { pattern: "SECRET", path: "src" })).toBe(
      "src/a.ts:1:SECRET a\n(1 file left out by rules)",
    );
    expect(await answer(t, "grep", { pattern: "SECRET", glob: "*.ts" })).toContain("(1 folder left out");
  });

  it("in list_directory, at whatever depth", async () => {
    await using t = await opened(FINAL);
    expect(await answer(t, "list_directory", {})).toBe("src/\n(1 file and 1 folder left out by rules)");
    expect(await answer(t, "list_directory", { depth: 5 })).toBe(
      "src/\nsrc/a.ts\t8 B\n(2 files and 1 folder left out by rules)",
    );
  });

  it("by whatever names the tool or the place, and asks nobody", async () => {
    for (const rule of [
      deny("private/**", { permission: "grep" }),
      deny("private/**", { permission: "native:*" }),
      deny("private/**", { permission: "*" }),
      deny("private/**", { action: "ask" }),
      { ...deny("private/**"), pattern: "private/**" },
      deny("**/private/**"),
      deny(["**", "!src/**", "!.env"]),
    ]) {
      await using t = await opened([rule]);
      const found = await answer(t, "grep", { pattern: "SECRET" });
      expect(found).toContain("src/a.ts");
      expect(found).not.toContain("private/");
      expect(found).toContain("3 files left out by rules");
      expect(await t.hub.questions.list({})).toEqual([]);
    }
  });

  inDeep("by absolute paths, in a workspace reached through a link, too", async () => {
    await using real = await tempHome();
    await using beside = await tempHome();
    const link = join(beside.path, "link");
    await symlink(real.path, link);
    for (const home of [real.path, link])
      for (const glob of [`${real.path}/workspaces/ada/private/**`, "private/**", `${home}/**/private/**`]) {
        await using t = await opened([deny(glob, { final: true })], home);
        expect(await answer(t, "grep", { pattern: "SECRET" })).not.toContain("private/");
        await t.hub.identity.deleteAgent("ada");
      }
  });

  it("but not what a more specific rule allows inside", async () => {
    await using t = await opened([deny("private/**"), deny("private/pub/**", { action: "allow" })]);
    const found = await answer(t, "grep", { pattern: "SECRET" });
    expect(found).toContain("private/pub/shown.txt:1:SECRET shown");
    expect(found).toContain("2 files left out by rules");
    expect(found).not.toContain("private/p.txt");
    const listed = await answer(t, "list_directory", { depth: 5 });
    expect(listed).toContain("private/pub/shown.txt");
    expect(listed).not.toContain("private/p.txt");
  });

  it("shows only what is allowed where all else is denied", async () => {
    await using t = await opened([deny("**"), deny("src/**", { action: "allow" })]);
    const found = await answer(t, "grep", { pattern: "SECRET" });
    expect(found).toContain("src/a.ts:1:SECRET a");
    expect(found).not.toContain("private");
  });

  it("with no word about files where the call itself was let run in spite of an ask", async () => {
    const allow: Written = { permission: "grep", pattern: { path: "src" }, action: "allow" };
    await using t = await opened([{ permission: "fs.read", action: "ask" }, allow]);
    expect(await answer(t, "grep", { pattern: "SECRET", path: "src" })).not.toContain("left out");
  });
});

describe("a link to what a rule denies", () => {
  it("is followed by no tool", async () => {
    await using t = await opened(FINAL);
    const at = (path: string) => join(t.home, "workspaces/ada", path);
    await symlink("private", at("open"));
    await symlink("../private/p.txt", at("src/innocent.txt"));
    await symlink("/proc/self/root", at("rootlink"));
    const through = `rootlink${at("private/p.txt")}`;
    for (const path of ["open/p.txt", "src/innocent.txt", through])
      for (const tool of ["read_file", "attach_file", "grep"])
        expect(await answer(t, tool, { path, pattern: "SECRET" })).toMatch(/^(failed: .*a rule|invalid)/);
    expect(await answer(t, "list_directory", { path: "open" })).toContain("a rule denies or asks about");
    expect(await answer(t, "read_file", { path: "src/a.ts" })).toContain("SECRET a");
  });

  it("of a granted folder is known by both paths", async () => {
    await using folder = await tempHome();
    await using beside = await tempHome();
    const link = join(beside.path, "link");
    await symlink(folder.path, link);
    await fill(folder.path);
    for (const glob of [`${link}/private/**`, `${folder.path}/private/**`]) {
      await using t = await opened([deny(glob, { final: true })]);
      await t.hub.identity.updateAgent("ada", { folders: [{ path: link, access: "read" }] });
      for (const path of [link, folder.path]) {
        const found = await answer(t, "grep", { pattern: "SECRET", path });
        expect(found).toContain("SECRET a");
        expect(found).not.toContain("SECRET p");
      }
    }
  });

  it("neither is it named where a file is missing", async () => {
    await using t = await opened(FINAL);
    expect(await answer(t, "read_file", { path: ".enx" })).not.toContain(".env");
    expect(await answer(t, "read_file", { path: "src/a.tx" })).toContain("src/a.ts");
  });
});

it("attach_file reads: a deny of fs.read stops it", async () => {
  await using t = await opened(FINAL);
  expect(await answer(t, "attach_file", { path: "private/p.txt" })).toMatch(/^denied/);
});
