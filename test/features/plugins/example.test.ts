import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testHub } from "../../support/test-hub.ts";

const EXAMPLE = join(import.meta.dirname, "../../../examples/plugin");
const CSV = 'city,people,note\nOslo,700000,"a, b"\nBergen,290000,"said ""hi"""\nOslo,1,\n';

/** The example as a person would use it: added, enabled, granted, called by an agent on a file of its workspace. */
async function withExample() {
  const tested = await testHub({ toolboxes: { tables: ["plugin:tables:*"] }, agents: { main: ["tables"] } });
  await tested.hub.plugins.add({ kind: "folder", spec: EXAMPLE });
  const enabled = await tested.hub.plugins.enable("tables");
  const workspace = join(tested.home, "workspaces", "main");
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, "cities.csv"), CSV);
  return { ...tested, enabled };
}

describe("examples/plugin", () => {
  it("asks for nothing but reading the workspace", async () => {
    await using example = await withExample();
    expect(example.enabled).toMatchObject({
      may: ["read the files in the calling agent's workspace"],
      status: { kind: "active" },
      warnings: [],
      tools: [{ name: "plugin_tables_columns" }, { name: "plugin_tables_select" }],
    });
  });

  it("describes the columns of a file", async () => {
    await using example = await withExample();
    const outcome = await example.call("plugin_tables_columns", { path: "cities.csv" }, "main");
    expect(outcome).toMatchObject({ outcome: "ok" });
    expect(outcome.structured).toEqual({
      rows: 3,
      columns: [
        { name: "city", values: 3, distinct: 2 },
        { name: "people", values: 3, min: 1, max: 700_000, mean: 990_001 / 3 },
        { name: "note", values: 2, distinct: 2 },
      ],
    });
  });

  it("selects and sorts rows, quotes and all", async () => {
    await using example = await withExample();
    const oslo = { path: "cities.csv", column: "city", equals: "Oslo", sortBy: "people" };
    expect((await example.call("plugin_tables_select", oslo, "main")).structured).toEqual({
      found: 2,
      rows: [
        { city: "Oslo", people: "1", note: "" },
        { city: "Oslo", people: "700000", note: "a, b" },
      ],
    });
    const one = { path: "cities.csv", column: "city", equals: "Bergen" };
    expect((await example.call("plugin_tables_select", one, "main")).structured).toMatchObject({
      rows: [{ note: 'said "hi"' }],
    });
  });

  it("tells the model what there is where it asked for something else", async () => {
    await using example = await withExample();
    const wrong = { path: "cities.csv", column: "town", equals: "x" };
    expect(await example.call("plugin_tables_select", wrong, "main")).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining('there is no column "town"; there are city, people, note'),
    });
    expect(await example.call("plugin_tables_select", { limit: 5000 }, "main")).toMatchObject({
      outcome: "invalid_arguments",
    });
  });

  it("reads nothing outside the workspace", async () => {
    await using example = await withExample();
    for (const path of ["/etc/passwd", "../../config.json"])
      expect(await example.call("plugin_tables_columns", { path }, "main")).toMatchObject({
        outcome: "failed",
        text: expect.stringContaining("restricted"),
      });
  });
});
