import { describe, expect, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { maskedSettings } from "../../src/config/masked.ts";
import { settingsFolder } from "./settings-folder.ts";

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
          oauth: { client_id: "me", client_secret: "hunter2", extra: { deep: "hunter2" } },
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
            oauth: { client_id: "me", client_secret: "***", extra: "***" },
          },
        ],
      },
    });
  });

  test("hides the password of the database", async () => {
    const shown = await masked(
      {},
      { DATABASE_URL: "postgres://me:hunter2@db.example/keep?sslpassword=hunter2" },
    );
    expect(shown.database_url).toBe("postgres://me:***@db.example/keep?sslpassword=***");
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
