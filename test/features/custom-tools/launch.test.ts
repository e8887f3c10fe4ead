import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findLaunch } from "../../../src/features/custom-tools/launch.ts";
import { tempHome } from "../../support/temp-home.ts";

async function programs(...names: readonly string[]) {
  const home = await tempHome();
  await mkdir(join(home.path, "bin"));
  for (const name of names) {
    await writeFile(join(home.path, "bin", name), "");
    await chmod(join(home.path, "bin", name), 0o755);
  }
  return { ...home, at: (name: string) => join(home.path, "bin", name), PATH: join(home.path, "bin") };
}

/** How a script of this name and content is started. */
function launch(
  entry: string,
  content: string,
  path: string,
  more: { interpreter?: readonly string[]; isExecutable?: boolean } = {},
) {
  const { isExecutable = false, ...manifest } = more;
  return findLaunch(
    { entry, ...manifest },
    { path: entry, content: Buffer.from(content), isExecutable },
    path,
  );
}

describe("the interpreter of a script", () => {
  it("is what its first line says, found on the PATH where it names no place", async () => {
    await using there = await programs("python3", "sh");
    const cases = [
      ["#!/usr/bin/env python3\n", [there.at("python3")]],
      ["#!/usr/bin/env -S python3 -u -X dev\n", [there.at("python3"), "-u", "-X", "dev"]],
      [`#! ${there.at("sh")} -e\r\n`, [there.at("sh"), "-e"]],
    ] as const;
    for (const [content, [program, ...args]] of cases)
      expect(await launch("tool", content, there.PATH)).toEqual({ ok: true, value: { program, args } });
  });

  it("is what the manifest says, whatever the first line does", async () => {
    await using there = await programs("deno", "python3");
    const given = { interpreter: ["deno", "run"] };
    expect(await launch("tool.py", "#!/usr/bin/env python3\n", there.PATH, given)).toEqual({
      ok: true,
      value: { program: there.at("deno"), args: ["run"] },
    });
  });

  it("else follows from the extension, in any case", async () => {
    await using there = await programs("sh", "python", "ruby", "perl");
    const program = async (entry: string) => {
      const found = await launch(entry, "", there.PATH);
      return found.ok && found.value.program;
    };
    expect(await program("tool.sh")).toBe(there.at("sh"));
    expect(await program("a/Tool.PY")).toBe(there.at("python"));
    expect(await program("tool.rb")).toBe(there.at("ruby"));
    expect(await program("tool.pl")).toBe(there.at("perl"));
    expect(await program("tool.mjs")).toBe(process.execPath);
    expect(await program("tool.js")).toBe(process.execPath);
  });

  it("is none for a program that runs itself", async () => {
    const own = await launch("tool", "\x7fELF", "", { isExecutable: true });
    expect(own).toEqual({ ok: true, value: { program: undefined, args: [] } });
  });

  it("that nothing names, or that is missing, is a problem with its remedy", async () => {
    await using there = await programs();
    const problem = async (...args: Parameters<typeof launch>) => {
      const found = await launch(...args);
      return found.ok ? "" : found.error;
    };
    expect(await problem("tool", "echo", there.PATH)).toContain("start it with a #! line");
    expect(await problem("tool.txt", "#!\n", there.PATH)).toContain("start it with a #! line");
    expect(await problem("tool.py", "", there.PATH)).toContain("python3 or python is not on the PATH");
    expect(await problem("tool", "#!/nowhere/python\n", there.PATH)).toContain(
      "/nowhere/python does not exist on this",
    );
    expect(await problem("tool", "#!/usr/bin/env ruby\n", "")).toContain("ruby is not on the PATH");
  });

  it("of a folder of the PATH that is relative does not count", async () => {
    await using _ = await programs();
    expect((await launch("tool.sh", "", ".:bin:")).ok).toBe(false);
  });
});
