import { randomBytes } from "node:crypto";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadKey } from "../../../../src/call/vault/keys/key.ts";
import { tempHome } from "../../../support/temp-home.ts";

test("the first start makes a key file for its user only; later ones read it", async () => {
  await using folder = await tempHome();
  const home = join(folder.path, "new");
  const key = await loadKey({ home, env: {} });
  expect(key).toHaveLength(32);
  expect((await stat(join(home, "key"))).mode & 0o777).toBe(0o600);
  expect(await readdir(home)).toEqual(["key"]);
  expect(await loadKey({ home, env: {} })).toEqual(key);
});

test("many starting at once agree on one key", async () => {
  await using home = await tempHome();
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadKey({ home: home.path, env: {} })));
  expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
  expect(await readdir(home.path)).toEqual(["key"]);
});

test("TOOLKEEP_KEY counts before the file, in hex or either base64, and writes nothing", async () => {
  await using home = await tempHome();
  const key = randomBytes(32);
  for (const encoding of ["hex", "base64", "base64url"] as const) {
    const env = { TOOLKEEP_KEY: ` ${key.toString(encoding)}\n` };
    expect(await loadKey({ home: home.path, env })).toEqual(key);
  }
  expect(await readdir(home.path)).toEqual([]);
});

test.each(["short", "!".repeat(44), randomBytes(31).toString("base64"), randomBytes(33).toString("hex")])(
  "a key that is not 32 bytes is refused without being repeated: %s",
  async (text) => {
    await using home = await tempHome();
    const fromEnv = await loadKey({ home: home.path, env: { TOOLKEEP_KEY: text } }).catch((error) => error);
    expect(fromEnv).toMatchObject({ code: "KEY_INVALID", message: expect.stringMatching(/^TOOLKEEP_KEY /) });
    expect(fromEnv.message).not.toContain(text);

    await writeFile(join(home.path, "key"), text);
    const fromFile = loadKey({ home: home.path, env: {} });
    await expect(fromFile).rejects.toMatchObject({ code: "KEY_INVALID" });
    expect(await readFile(join(home.path, "key"), "utf8")).toBe(text);
  },
);

test("a key file that others could read is closed to them", async () => {
  await using home = await tempHome();
  const key = await loadKey({ home: home.path, env: {} });
  await chmod(join(home.path, "key"), 0o644);
  expect(await loadKey({ home: home.path, env: {} })).toEqual(key);
  expect((await stat(join(home.path, "key"))).mode & 0o777).toBe(0o600);
});
