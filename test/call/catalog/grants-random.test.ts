import { describe, expect, it } from "vitest";
import type { Catalog } from "../../../src/call/catalog/catalog.ts";
import type { Caller } from "../../../src/contract/caller.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { Dice } from "../../support/dice.ts";
import { mayHave } from "../../support/forbidden.ts";
import { inDeep } from "../../support/length.ts";
import { type RandomGrants, randomGrants } from "../../support/random-grants.ts";
import { tempStore } from "../../support/temp-store.ts";
import { openCatalog } from "../../support/test-catalog.ts";
import { TestSource } from "../../support/tools.ts";

const ROUNDS = 30;
const CALLERS = 20;

const names = (tools: readonly Tool[]) => tools.map((tool) => tool.name);
const isListable = (tool: Tool) => ["active", "unavailable"].includes(tool.status().kind);

/** Calls `check` for many callers of many catalogues, with the seed that reproduces each. */
async function eachCaller(
  check: (catalog: Catalog, caller: Caller, random: RandomGrants, seed: string) => void,
  more: Partial<Caller> = {},
): Promise<void> {
  await using temp = await tempStore();
  const source = new TestSource([]);
  const catalog = await openCatalog({ sources: [source], store: temp.store });
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = randomGrants(new Dice(seed));
    source.replace(random.tools);
    for (const [name, tools] of Object.entries(random.toolboxes)) {
      if (catalog.toolboxes.byName.has(name)) await catalog.toolboxes.update(name, { tools });
      else await catalog.toolboxes.create(name, { tools });
    }
    for (let each = 0; each < CALLERS; each++)
      check(catalog, random.caller(more), random, `seed ${seed}, caller ${each}`);
  }
  catalog.close();
}

describe("N4: what an agent has, for random catalogues, toolboxes and agents", () => {
  it("is exactly (floor ∪ toolboxes ∪ grants) ∩ scopes, minus what its context may not have", async () => {
    await eachCaller((catalog, caller, random, seed) => {
      const expected = random.tools.filter((tool) => mayHave(tool, caller, random) && isListable(tool));
      expect(names(catalog.visible(caller)), seed).toEqual(names(expected).sort());
    });
  });

  it("is the same for list and call: what is listed resolves or is briefly unavailable, and nothing else is granted", async () => {
    await eachCaller((catalog, caller, random, seed) => {
      const listed = new Set(names(catalog.visible(caller)));
      for (const tool of random.tools) {
        const resolved = catalog.resolve(tool.name, caller);
        const { kind } = tool.status();
        const answer = resolved.ok ? resolved.value.name : resolved.error.outcome;
        const had = kind === "active" ? tool.name : kind === "planned" ? "unavailable" : kind;
        expect(answer, `${seed}, ${tool.name}`).toBe(mayHave(tool, caller, random) ? had : "not_granted");
        expect(resolved.ok && !listed.has(tool.name), `${seed}, ${tool.name}`).toBe(false);
      }
    });
  });

  it("does not depend on the order of toolboxes and grants, nor on naming one twice", async () => {
    await eachCaller((catalog, caller, _, seed) => {
      const other: Caller = {
        ...caller,
        toolboxes: [...caller.toolboxes, ...caller.toolboxes].reverse(),
        grants: [...caller.grants, ...caller.grants].reverse(),
      };
      expect(names(catalog.visible(other)), seed).toEqual(names(catalog.visible(caller)));
    });
  });

  inDeep("names the source of every grant, and none for what is not granted", async () => {
    await eachCaller((catalog, caller, random, seed) => {
      for (const tool of catalog.visible(caller)) {
        const from = catalog.grantSources(tool, caller);
        expect(from.length, `${seed}, ${tool.name}`).toBeGreaterThan(0);
        const boxes = caller.toolboxes.filter((box) =>
          mayHave({ ...tool, floor: false }, { ...caller, toolboxes: [box], grants: [] }, random),
        );
        const named = from.map((text) => /^toolbox (\S+)/.exec(text)?.[1]).filter((box) => box !== undefined);
        expect(named, `${seed}, ${tool.name}`).toEqual(boxes);
      }
    });
  });

  it("of `*` is never a tool of a server or a plugin, nor one that manages Toolkeep", async () => {
    const isOwn = ({ origin }: Tool) => origin === "native" || origin === "custom";
    await eachCaller(
      (catalog, caller, random, seed) => {
        const expected = random.tools.filter(
          (tool) => isOwn(tool) && isListable(tool) && tool.availability !== "sub-agent",
        );
        expect(names(catalog.visible(caller)), seed).toEqual(names(expected).sort());
      },
      { toolboxes: [], grants: ["*"], scopes: null, context: "main" },
    );
  });
});
