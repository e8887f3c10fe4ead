import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandWords } from "../../../src/call/vault/command-words.ts";
import { parseReference } from "../../../src/call/vault/reference.ts";
import { Vault } from "../../../src/call/vault/vault.ts";
import { err, ok } from "../../../src/lib/result.ts";
import { childEnvironment } from "../../../src/machine/process/environment.ts";
import { createProcesses } from "../../../src/machine/process/processes.ts";
import { memorySecrets } from "../../support/memory-secrets.ts";

const processes = createProcesses();
const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, API_KEY: "value-of-a-variable" };
let folder: string;
let now = 1_000;
let vault: Vault;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-reference-"));
  vault = await Vault.open({
    store: memorySecrets(),
    key: randomBytes(32),
    clock: () => now,
    references: { env, processes, timeoutMs: 1_000 },
  });
});
afterAll(async () => {
  await processes.close();
  await rm(folder, { recursive: true, force: true });
});

describe("a secret that refers elsewhere", () => {
  it("has the value of a variable, which no child inherits and nobody is shown", async () => {
    await vault.refer("A", "env:API_KEY");
    expect(vault.redact("it is value-of-a-variable")).toBe("it is [redacted]");
    expect(await vault.read("A")).toEqual(ok("value-of-a-variable"));
    const isSecret = (text: string) => vault.redact(text) !== text;
    expect(childEnvironment(env, {}, isSecret)).not.toHaveProperty("API_KEY");
  });

  it("has what is in a file without the line end, and is read again after a while", async () => {
    const file = join(folder, "token");
    await writeFile(file, "value-of-a-file\n");
    await vault.refer("F", `file:${file}`);
    expect(await vault.read("F")).toEqual(ok("value-of-a-file"));
    await writeFile(file, "value-of-tomorrow\n");
    expect(await vault.read("F")).toEqual(ok("value-of-a-file"));
    now += 31_000;
    expect(await vault.read("F")).toEqual(ok("value-of-tomorrow"));
    expect(vault.redact("value-of-a-file value-of-tomorrow")).toBe("[redacted] [redacted]");
  });

  it("has what a program prints, once for calls that come together", async () => {
    const count = join(folder, "count");
    await vault.refer("C", `cmd:sh -c 'echo x >> ${count}; echo "value of $0"' "a program"`);
    expect(vault.list().find(({ name }) => name === "C")).toMatchObject({ source: "cmd", setBy: null });
    const both = await Promise.all([vault.read("C"), vault.read("C")]);
    expect(both).toEqual([ok("value of a program"), ok("value of a program")]);
    expect(await vault.fill(`{{secret:C}} in $(wc -l < ${count})`)).toEqual(
      ok(`value of a program in $(wc -l < ${count})`),
    );
    expect(vault.redact("value of a program")).toBe("[redacted]");
    const { length } = await import("node:fs/promises").then(({ readFile }) => readFile(count, "utf8"));
    expect(length).toBe(2);
  });

  it.each([
    ["env:NOT_SET", "the variable NOT_SET is not set where Toolkeep runs"],
    ["file:/no/such/file", "its file cannot be read (ENOENT)"],
    ["file:/dev/zero", "it is no file"],
    ["cmd:/no/such/program", "its program cannot be started"],
    ["cmd:sh -c 'echo told; echo told >&2; exit 3'", "its program ended with 3"],
    ["cmd:sleep 60", "its program took more than 1 s"],
    ["cmd:true", "there is nothing in it"],
    ["cmd:head -c 70000 /dev/zero", "it is larger than 64 KB"],
    ["cmd:printf '\\377\\376abc'", "what it holds is no text"],
  ])("to %s says what is wrong, and nothing of what it read", async (reference, problem) => {
    await vault.refer("X", reference);
    expect(await vault.read("X")).toEqual(err(problem));
  });

  it.each(["env:", "env:a b", "env:TOOLKEEP_KEY", "file:relative", "cmd:", "cmd:'open", "http://x", "plain"])(
    "cannot be %s",
    async (reference) => {
      expect(parseReference(reference).ok).toBe(false);
      await expect(vault.refer("X", reference)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    },
  );

  it("takes a command in words, as a shell parts them and without one", () => {
    expect(commandWords(`op read  'op://a b/c' "d \\"e\\"" f\\ g '' $HOME`)).toEqual([
      ...["op", "read", "op://a b/c", 'd "e"', "f g", "", "$HOME"],
    ]);
  });
});
