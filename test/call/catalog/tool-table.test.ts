import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderToolTables } from "../../../src/call/catalog/tool-table.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";

const PAGE = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "native-tools.md"), "utf8");

let t: TestHub;
beforeAll(async () => {
  t = await testHub();
});
afterAll(() => t[Symbol.asyncDispose]());

describe("docs/native-tools.md", () => {
  it("has the tables of every tool as the catalogue renders them (npm run docs)", () => {
    const { present, planned } = renderToolTables(t.hub.catalog.all(), builtin());
    expect(PAGE).toContain(present);
    expect(PAGE).toContain(planned);
  });

  it("has every tool that comes with Toolkeep, in one of the two tables", () => {
    const documented = [...PAGE.matchAll(/^\| `(\w+)` \| [a-z-]+ \|/gm)].map(([, name]) => name);
    const names = t.hub.catalog.all().map((tool) => tool.name);
    expect(documented.sort()).toEqual([...names].sort());
  });
});

/** As they are written at a start. */
function builtin() {
  return t.hub.catalog.toolboxes.list().filter((toolbox) => toolbox.builtin);
}

describe("the built-in toolboxes", () => {
  it("name only tools that are there or announced", () => {
    const known = new Set([...t.hub.catalog.all().map((tool) => tool.name), "*"]);
    const unknown = builtin().flatMap(({ name, tools }) =>
      tools.filter((tool) => !known.has(tool)).map((tool) => `${name}: ${tool}`),
    );
    expect(unknown).toEqual([]);
  });
});
