import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { Vault } from "../../../src/call/vault/vault.ts";
import { err, ok } from "../../../src/lib/result.ts";
import { completeServerConfig } from "../../../src/machine/config/sections/server-config.ts";
import {
  collectSecretValues,
  fillSecrets,
  listServerSecrets,
} from "../../../src/servers/lifecycle/server-secrets.ts";
import { memorySecrets } from "../../support/memory-secrets.ts";

const remote = completeServerConfig(
  "remote",
  {
    url: "https://mcp.example.com/mcp",
    headers: { Authorization: "Bearer {{secret:TOKEN}}", "X-A": "plain-header" },
  },
  "stored",
);
const local = completeServerConfig(
  "local",
  { command: "serve", env: { KEY: "{{secret:KEY}}", URL: "http://me:{{secret:TOKEN}}@x" } },
  "stored",
);

let vault: Vault;
beforeEach(async () => {
  vault = await Vault.open({ store: memorySecrets(), key: randomBytes(32), clock: () => 1 });
  await vault.put("TOKEN", "value-of-token");
  await vault.put("KEY", "value-of-key");
});

it("a server that a person named gets the values of the secrets in its variables and headers", async () => {
  expect(listServerSecrets(local)).toEqual(["KEY", "TOKEN"]);
  expect(await fillSecrets(local, true, vault)).toEqual(
    ok({ ...local, env: { KEY: "value-of-key", URL: "http://me:value-of-token@x" } }),
  );
  expect(await fillSecrets(remote, true, vault)).toMatchObject({
    value: { headers: { Authorization: "Bearer value-of-token", "X-A": "plain-header" } },
  });
});

it("a server that no person approved as it is gets none", async () => {
  expect(await fillSecrets(local, false, vault)).toEqual(
    err("it uses secrets of the vault (KEY, TOKEN), for which a person has to approve it"),
  );
});

it("a secret that is bound to hosts stays with them", async () => {
  await vault.bind("TOKEN", { tools: [], hosts: ["api.example.com"], agents: null });
  expect(await fillSecrets(remote, true, vault)).toEqual(err("the secret TOKEN is not bound to its host"));
  expect((await fillSecrets(local, true, vault)).ok).toBe(true);
  await vault.bind("TOKEN", { tools: [], hosts: ["*.example.com"], agents: null });
  expect((await fillSecrets(remote, true, vault)).ok).toBe(true);
});

it("a secret that is not there is named, and what stands in the open is not looked up", async () => {
  await vault.delete("KEY");
  expect(await fillSecrets(local, true, vault)).toEqual(err("there is no secret KEY"));
  const plain = { ...local, env: { A: "b" } };
  expect(await fillSecrets(plain, false, vault)).toEqual(ok(plain));
});

it("the name of a secret is not hidden as a value would be", () => {
  expect(collectSecretValues(remote)).toEqual(["plain-header"]);
  expect(collectSecretValues(local)).toEqual([]);
});
