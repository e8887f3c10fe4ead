import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { seal, unseal } from "../../../src/call/vault/seal.ts";
import {
  completeServerConfig,
  type ServerFields,
} from "../../../src/machine/config/sections/server-config.ts";
import { define, fingerprint } from "../../../src/servers/lifecycle/definition.ts";
import { toStoredForm } from "../../../src/servers/lifecycle/sealed-config.ts";
import { hasReachChanged } from "../../../src/servers/lifecycle/server-change.ts";
import { collectSecretValues } from "../../../src/servers/lifecycle/server-secrets.ts";
import type { ServerRecord } from "../../../src/servers/records.ts";
import { testUpstream } from "../../support/upstream.ts";

const KEY = randomBytes(32);
const vault = {
  seal: (plain: string, purpose: string) => seal(plain, purpose, KEY),
  unseal: (sealed: Uint8Array, purpose: string) => unseal(sealed, purpose, KEY),
};
const PEM = `-----BEGIN PRIVATE KEY-----\n${"canary-key-line-1/AAAA".repeat(3)}\ncanary-key-line-2\n-----END PRIVATE KEY-----\n`;

const remote: ServerFields = {
  url: "https://x.example/mcp?api_key=canary-query&page=1",
  headers: { Authorization: "Bearer canary-header" },
  oauth: { clientId: "me", clientSecret: "canary-client", privateKey: PEM },
};
const local: ServerFields = {
  command: "x",
  args: ["--token=canary-arg", "--verbose"],
  env: { TOKEN: "canary-env" },
};

async function record(fields: ServerFields): Promise<ServerRecord> {
  await using up = await testUpstream();
  await up.upstream.add("web", { command: "x", enabled: false });
  const row = await up.store.servers.byName("web");
  return { ...row!, ...toStoredForm(row!.id, completeServerConfig("web", fields, "stored"), vault) };
}

describe("a stored configuration", () => {
  test.each([
    ["remote", remote],
    ["local", local],
  ])("of a %s server has no secret in the open and comes back whole", async (_, fields) => {
    await using up = await testUpstream();
    const stored = await record(fields);
    expect(JSON.stringify({ ...stored, sealed: null })).not.toContain("canary");
    expect(Buffer.from(stored.sealed!).toString("latin1")).not.toContain("canary");
    expect(define(stored, undefined, up.settings, vault)?.config).toEqual(
      completeServerConfig("web", fields, "stored"),
    );
  });

  test("without secrets seals nothing", async () => {
    expect(await record({ command: "x", args: ["-v"] })).toMatchObject({
      sealed: null,
      config: { args: ["-v"] },
    });
  });

  test("that was sealed before OAuth was known is read", async () => {
    await using up = await testUpstream();
    const stored = await record({ command: "x", env: { A: "b" } });
    const old = vault.seal(JSON.stringify({ env: { A: "old" }, headers: {} }), `server:${stored.id}`);
    expect(define({ ...stored, sealed: old }, undefined, up.settings, vault)?.config.env).toEqual({
      A: "old",
    });
  });
});

describe("what is secret about a server", () => {
  test("includes the client's secret and its key line by line", () => {
    const values = collectSecretValues(completeServerConfig("web", remote, "stored"));
    expect(values).toEqual(
      expect.arrayContaining([
        "canary-query",
        "canary-header",
        "canary-client",
        "canary-key-line-1/AAAA".repeat(3),
        "canary-key-line-2",
      ]),
    );
    expect(values.join()).not.toContain("PRIVATE KEY");
  });
});

describe("a fingerprint", () => {
  const config = completeServerConfig("web", remote, "project");

  test.each([
    { oauth: { ...config.oauth!, clientSecret: "other" } },
    { oauth: null },
    { tls: { cert: null, key: null, ca: "/ca.pem" } },
    { url: "https://y.example/mcp" },
  ])("changes with %j", (change) => {
    expect(fingerprint({ ...config, ...change })).not.toBe(fingerprint(config));
    expect(hasReachChanged(config, { ...config, ...change })).toBe(true);
  });

  test.each([{ keepAlive: true }, { retry: "never" as const }, { maxConcurrency: 1 }])(
    "does not change with %j",
    (change) => {
      expect(fingerprint({ ...config, ...change })).toBe(fingerprint(config));
    },
  );
});
