import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Hub } from "../../../../src/hub.ts";
import { loadSettings } from "../../../../src/machine/config/load.ts";
import { testApi } from "../../../support/test-api.ts";

async function open(env: Record<string, string> = {}) {
  let hub: Hub;
  const api = await testApi({
    env,
    settings: { shell: { timeout_ms: 5_000 }, web: { search: { api_key: "a-secret-key" } } },
    options: {
      reloadSettings: async () =>
        hub.apply(
          await loadSettings({ cwd: api.home, env: { TOOLKEEP_HOME: api.home }, isTrusted: () => false }),
        ),
    },
  });
  hub = api.hub;
  const settingOf = async (key: string) =>
    (await api.request("GET", "/api/settings")).body.settings.find(
      (each: { key: string }) => each.key === key,
    );
  return { api, settingOf };
}

it("every setting has a value, says where it comes from, and shows no secret", async () => {
  const { api, settingOf } = await open({ TOOLKEEP_LOG_LEVEL: "silent" });
  await using _ = api;
  expect(await settingOf("shell.timeout_ms")).toMatchObject({
    value: 5_000,
    origin: "user",
    fixed: null,
    schema: { type: "integer", minimum: 1 },
  });
  expect(await settingOf("log_level")).toMatchObject({
    origin: "env",
    fixed: expect.stringContaining("environment"),
  });
  expect(await settingOf("host")).toMatchObject({ schema: null, restart: true });
  const { body } = await api.request("GET", "/api/settings");
  expect(JSON.stringify(body)).not.toContain("a-secret-key");
});

it("a change is written to the user's file, of which a copy is kept, and counts at once", async () => {
  const { api, settingOf } = await open();
  await using _ = api;
  const changes = { "shell.timeout_ms": 7_000, "retention.audit_days": 30 };
  const changed = await api.request("PATCH", "/api/settings", { changes });
  expect(changed.body.file).toBe(join(api.home, "config.json"));
  expect(await readdir(api.home)).toContain(changed.body.backup.slice(api.home.length + 1));
  expect(JSON.parse(await readFile(join(api.home, "config.json"), "utf8")).shell.timeout_ms).toBe(7_000);
  expect(await settingOf("shell.timeout_ms")).toMatchObject({ value: 7_000 });
  await api.request("PATCH", "/api/settings", { changes: { "shell.timeout_ms": null } });
  expect(await settingOf("shell.timeout_ms")).toMatchObject({ origin: "default" });
});

it.each([
  { "shell.timeout_ms": "long" },
  { "shell.timeout_ms": 0 },
  { host: "0.0.0.0" },
  { database_url: "postgres://elsewhere/db" },
  { "no.such": 1 },
  { log_level: "debug" },
])("%j is refused, and nothing is written", async (changes) => {
  const { api } = await open({ TOOLKEEP_LOG_LEVEL: "silent" });
  await using _ = api;
  const before = await readFile(join(api.home, "config.json"), "utf8");
  expect((await api.request("PATCH", "/api/settings", { changes })).status).toBe(400);
  expect(await readFile(join(api.home, "config.json"), "utf8")).toBe(before);
});
