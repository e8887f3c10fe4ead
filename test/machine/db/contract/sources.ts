import { expect, test } from "vitest";
import { SourceTable } from "../../../../src/features/knowledge/tables.ts";
import { NOW, source } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function sourcesContract(fresh: FreshStore): void {
  test("sources come back by name, as they were created", async () => {
    await using t = await fresh();
    const sources = new SourceTable(t.store.database);
    const notes = source("notes", { label: "private", config: { path: "/n", ignore: ["*.tmp"] } });
    await sources.create(notes);
    await sources.create(source("mail", { kind: "mail", enabled: false }));
    expect((await sources.list()).map(({ name }) => name)).toEqual(["mail", "notes"]);
    expect(await sources.byName("notes")).toEqual(notes);
    expect(await sources.byName("nothing")).toBeUndefined();
    await expect(sources.create(source("notes", { id: "src_other" }))).rejects.toThrow(
      expect.objectContaining({ code: "NAME_TAKEN" }),
    );
  });

  test("a source is changed in what is given alone, and one that is absent is told of", async () => {
    await using t = await fresh();
    const sources = new SourceTable(t.store.database);
    await sources.create(source("notes"));
    await sources.create(source("mail"));
    await sources.update("src_notes", { lastSync: { seen: 3, at: NOW }, updatedAt: NOW + 1 });
    expect(await sources.byName("notes")).toEqual(
      source("notes", { lastSync: { seen: 3, at: NOW }, updatedAt: NOW + 1 }),
    );
    await expect(sources.update("src_notes", { name: "mail" })).rejects.toThrow(
      expect.objectContaining({ code: "NAME_TAKEN" }),
    );
    await sources.delete("src_notes");
    expect(await sources.byName("notes")).toBeUndefined();
    await expect(sources.update("src_notes", { enabled: false })).rejects.toThrow(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
    await expect(sources.delete("src_notes")).rejects.toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  });
}
