import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/machine/config/load.ts";
import { maskedSettings, secretsInTheOpen } from "../../../src/machine/config/masked.ts";
import { settingsFolder } from "./settings-folder.ts";

const PEM = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n";

async function masked(content: unknown, env = {}) {
  await using folder = await settingsFolder({ "home/config.json": content }, env);
  return maskedSettings(await loadSettings(folder.options));
}

describe("maskedSettings", () => {
  test("shows the settings as a file would have them, which loads to the same settings again", async () => {
    const shown = await masked({
      port: 5,
      mcp: { enabled: false, fs: { command: "x" } },
      rules: [{ permission: "*", action: "ask" }],
    });
    expect(shown).toMatchObject({
      port: 5,
      mcp: { enabled: false, servers: [{ name: "fs", command: "x" }] },
    });
    expect(await masked(shown)).toEqual(shown);
  });

  test("hides values of env and headers and what is secret in oauth, and shows their keys", async () => {
    const shown = await masked({
      mcpServers: {
        a: { command: "x", env: { TOKEN: "hunter2" } },
        b: {
          url: "https://x.example/mcp?api_key=hunter2&page=1",
          headers: { Authorization: "Bearer hunter2" },
          oauth: { client_id: "me", client_secret: "hunter2", private_key: PEM, extra: { deep: "hunter2" } },
          tls: { ca: "/etc/ca.pem" },
        },
      },
    });
    expect(JSON.stringify(shown)).not.toContain("hunter2");
    expect(shown).toMatchObject({
      mcp: {
        servers: [
          { env: { TOKEN: "***" } },
          {
            url: "https://x.example/mcp?api_key=***&page=1",
            headers: { Authorization: "***" },
            oauth: { client_id: "me", client_secret: "***", private_key: "***" },
            tls: { ca: "/etc/ca.pem" },
          },
        ],
      },
    });
  });

  test("hides the key of the embedder, but not its name in the vault", async () => {
    const shown = await masked(
      { embeddings: { provider: "openai", url: "https://x.example/v1?key=hunter2", model: "m" } },
      { TOOLKEEP_EMBEDDINGS_API_KEY: "hunter2", TOOLKEEP_EMBEDDINGS_DIMENSIONS: "512" },
    );
    expect(shown.embeddings).toEqual({
      ...{ provider: "openai", url: "https://x.example/v1?key=***", model: "m" },
      ...{ api_key: "***", dimensions: 512 },
    });
    const named = await masked({ embeddings: { api_key: "{{secret:EMBED}}" } });
    expect(named.embeddings).toMatchObject({ provider: "local", api_key: "{{secret:EMBED}}" });
  });

  test("hides the password of the database", async () => {
    const shown = await masked(
      {},
      { DATABASE_URL: "postgres://me:hunter2@db.example/keep?sslpassword=hunter2" },
    );
    expect(shown.database_url).toBe("postgres://me:***@db.example/keep?sslpassword=***");
  });

  test.each([
    ["https://x.example/mcp?key=hunter2#a", "https://x.example/mcp?key=***#a"],
    ["https://x.example/s/a1b2c3d4e5f6a7b8c9d0e1f2/mcp", "https://x.example/s/***/mcp"],
    [
      "https://x.example/a-long-name-without-any-number/mcp",
      "https://x.example/a-long-name-without-any-number/mcp",
    ],
  ])("shows the address %s as %s", async (url, expected) => {
    expect(await masked({ mcpServers: { a: { url } } })).toMatchObject({
      mcp: { servers: [{ url: expected }] },
    });
  });

  test("a secret counts as it is written in an address and as it is meant", () => {
    const url = "https://x.example/mcp?token=a%2Fb%2Bc%3D";
    expect(secretsInTheOpen({ args: [], url })).toEqual(["a%2Fb%2Bc%3D", "a/b+c="]);
  });

  test.each([
    [["--token=hunter2"], ["--token=***"]],
    [
      ["--api-key", "hunter2", "--verbose"],
      ["--api-key", "***", "--verbose"],
    ],
    [["API_TOKEN=hunter2"], ["API_TOKEN=***"]],
    [
      ["--header", "Authorization: Bearer hunter2"],
      ["--header", "Authorization: ***"],
    ],
    [["postgres://me:hunter2@db/x"], ["postgres://me:***@db/x"]],
    [
      ["-y", "@scope/server", "https://x.example", "C:\\dir"],
      ["-y", "@scope/server", "https://x.example", "C:\\dir"],
    ],
  ])("shows the arguments %j without secrets", async (args, expected) => {
    expect(await masked({ mcpServers: { a: { command: "x", args } } })).toMatchObject({
      mcp: { servers: [{ args: expected }] },
    });
  });
});
