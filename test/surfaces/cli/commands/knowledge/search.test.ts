import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../../support/temp-home.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

it("toolkeep search shows what was found with its words marked, page by page, and says what had no effect", async () => {
  await using api = await testApi({
    settings: { knowledge: { embeddings: false }, memory: { embeddings: false } },
  });
  await using place = await tempHome();
  await writeFile(join(place.path, "a.md"), "# Door\n\n## Colour\n\nThe door is\ngreen\u001b[31m.");
  await writeFile(join(place.path, "b.md"), "# Grass\n\nGrass is green.");
  await typed(api, ["source", "add", "folder", place.path, "--name", "notes"]);
  await typed(api, ["sync", "notes"]);
  const search = (...args: string[]) => typed(api, ["search", ...args]);

  const { out } = await search("green", "doors");
  expect(out).toMatch(/^\d\.\d\d {2}Door {2}\(notes, \d{4}-\d\d-\d\d\)\n {6}\S+a\.md\n/);
  expect(out).toMatch(/The door is green\S*\n {6}\[\S+:\d+\]\n/);
  // What a document says does not move the cursor of whoever reads it.
  expect(out).not.toContain("\u001b");
  expect((await typed(api, ["search", "grass"], { screen: true })).out).toContain("\u001b[1mGrass\u001b[22m");

  expect((await search("green", "--source", "folder")).out).toContain("(notes, ");
  expect((await search("green", "--source", "attic")).out).toBe(
    'There is no source "attic".\nNo results. Try other words, or check your sources: toolkeep source list\n',
  );

  const first = JSON.parse((await search("green", "--limit", "1", "--json")).out);
  expect((await search("green", "--limit", "1")).out).toContain("More results: --cursor ");
  const rest = JSON.parse((await search("green", "--cursor", first.nextCursor, "--json")).out);
  const titles = [...first.results, ...rest.results].map(({ title }: { title: string }) => title);
  expect(titles.sort()).toEqual(["Door", "Grass"]);
  expect(rest.nextCursor).toBeUndefined();

  await typed(api, ["memory", "put", "The green door sticks.", "--key", "door"]);
  expect((await search("sticks", "--memory")).out).toMatch(/memory door\n {6}The green door sticks\.\n/);
  expect((await search("sticks")).out).toContain("No results.");
});
