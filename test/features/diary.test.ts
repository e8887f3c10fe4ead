import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Feature } from "../../src/contract/feature.ts";
import type { FeatureNeeds } from "../../src/features/open-features.ts";
import { FEATURES } from "../../src/features.ts";
import { createHub } from "../../src/hub.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createBackup, restoreBackup } from "../../src/surfaces/daemon/backup.ts";
import { diary } from "../support/diary/feature.ts";
import { freshSchema } from "../support/postgres.ts";
import { tempHome } from "../support/temp-home.ts";
import { testApi } from "../support/test-api.ts";
import { testHub } from "../support/test-hub.ts";
import { typed } from "../support/typed.ts";

const DAY = { day: "2026-11-18", text: "The canary sang." };

// The one line that a new feature adds to `features.ts`.
beforeAll(() => void (FEATURES as Feature<FeatureNeeds>[]).push(diary));
afterAll(() => void (FEATURES as Feature<FeatureNeeds>[]).pop());

describe("a feature that is one folder and one line", () => {
  it("brings tools, by the toolbox it names", async () => {
    await using t = await testHub({ agents: { ada: ["research"], bare: [] } });
    expect((await t.call("write_diary", DAY, "ada")).outcome).toBe("ok");
    expect((await t.call("read_diary", {}, "ada")).text).toContain(DAY.text);
    expect((await t.call("read_diary", {}, "bare")).outcome).toBe("not_granted");
    expect(t.hub.catalog.get("write_diary")?.inputSchema).toEqual({
      type: "object",
      properties: {
        day: { type: "string", minLength: 1, maxLength: 10 },
        text: { type: "string", minLength: 1, maxLength: 2_000 },
      },
      required: ["day", "text"],
      additionalProperties: false,
    });
  });

  it("brings routes, which are in the OpenAPI document, and a command", async () => {
    await using api = await testApi({ agents: {} });
    expect(await api.request("POST", "/api/diary", DAY)).toMatchObject({ status: 201, body: { entry: DAY } });
    expect((await api.request("POST", "/api/diary", { day: "" })).status).toBe(400);
    expect((await typed(api, ["diary", "list"])).out).toContain("2026-11-18  The canary sang.");
    expect((await typed(api, ["diary", "write", "2026-11-19", "Quiet."])).code).toBe(0);
    const { body } = await api.request("GET", "/api/openapi.json");
    expect(body.paths["/api/diary"].post["x-role"]).toBe("operator");
    expect(body.components.schemas.DiaryEntryList.properties.entries.items.$ref).toBe(
      "#/components/schemas/DiaryEntry",
    );
  });

  it("brings a setting and a check of its health, which people and agents see", async () => {
    await using api = await testApi({ agents: {}, settings: { diary: { max_entries: 1 } } });
    await api.request("POST", "/api/diary", DAY);
    expect((await api.request("POST", "/api/diary", DAY)).body.error.message).toContain("1 entries");
    expect((await api.request("GET", "/api/checks")).body.checks).toContainEqual({
      name: "diary",
      state: "warning",
      detail: "is full",
      remedy: "Raise diary.max_entries.",
    });
    const { settings } = (await api.request("GET", "/api/settings")).body;
    expect(settings.find(({ key }: { key: string }) => key === "diary.max_entries")).toMatchObject({
      value: 1,
      default: 100,
      origin: "user",
    });
    await expect(testHub({ settings: { diary: { max_entries: 0 } } })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });

  it("keeps its sealed column in backups and through a rotation of the key", async () => {
    await using t = await testHub({ agents: { ada: ["research"] } });
    await t.call("write_diary", DAY, "ada");
    const place = { home: t.home, env: {}, version: "1.2.3", clock: systemClock };
    const backup = await createBackup({ store: t.hub.store, ...place });
    expect(backup.store.tables.diaryEntries).toHaveLength(1);
    expect(JSON.stringify(backup.store)).not.toContain("canary");
    const before = backup.store.tables.diaryEntries![0]!.text;
    await t.hub.rotateKey();
    expect((await t.call("read_diary", {}, "ada")).text).toContain(DAY.text);
    expect((await t.hub.store.dump()).tables.diaryEntries![0]!.text).not.toEqual(before);

    await using other = await tempHome();
    await restoreBackup(backup, {
      home: other.path,
      databaseUrl: null,
      env: {},
      clock: systemClock,
      force: true,
    });
    const hub = await createHub({ home: other.path, env: {} });
    const [entry] = (await hub.store.dump()).tables.diaryEntries!;
    await hub.close();
    expect(entry).toMatchObject({ day: DAY.day, text: before });
  });

  it("has its table on PostgreSQL, too, and its migrations are made once", async () => {
    const { url, drop } = await freshSchema();
    try {
      for (const expected of [1, 2]) {
        await using api = await testApi({
          agents: {},
          env: { DATABASE_URL: url, TOOLKEEP_KEY: "ab".repeat(32) },
        });
        await api.request("POST", "/api/diary", DAY);
        expect((await api.request("GET", "/api/diary")).body.entries).toHaveLength(expected);
      }
    } finally {
      await drop();
    }
  });
});
