import { expect, it } from "vitest";
import { loadKey } from "../../../src/call/vault/keys/key.ts";
import { checkMachine } from "../../../src/features/admin/check-machine.ts";
import { tempHome } from "../../support/temp-home.ts";

it("a key that is in its file although the keyring was asked for is a warning", async () => {
  await using home = await tempHome();
  await loadKey({ home: home.path, env: {} });
  const keyOf = async (env: Record<string, string>) => {
    const place = { home: home.path, env, cwd: home.path, isTrusted: () => true };
    return (await checkMachine(place)).find(({ name }) => name === "key");
  };
  expect(await keyOf({})).toMatchObject({ state: "ok" });
  expect(await keyOf({ TOOLKEEP_KEY_STORE: "keyring" })).toMatchObject({
    state: "warning",
    detail: expect.stringContaining("not in the keyring"),
  });
});
