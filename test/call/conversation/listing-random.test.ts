import { expect, it } from "vitest";
import { grantSet, isGranted, isPattern } from "../../../src/call/catalog/grants.ts";
import { makeListing } from "../../../src/call/conversation/listing.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import { Dice } from "../../support/dice.ts";
import { testCaller, testTool } from "../../support/tools.ts";

const ORIGINS = ["native", "custom", "mcp:fs", "mcp:mail", "plugin:x"];
const PATTERNS = ["mcp:fs:*", "mcp:*", "mcp:*:a*", "plugin:*", "native:*"];

/** The rule of D1 and D8 in its plainest form: why a tool must stay in the list, and in which order tools leave it. */
function whyListed(tool: Tool, { entries, pins, eager, activated }: World): number {
  if (tool.floor || pins.includes(tool.name)) return 4;
  if (entries.includes(tool.name)) return 3;
  if (eager.includes(tool.name)) return 2;
  return activated.has(tool.name) ? 1 : 0;
}

interface World {
  readonly entries: readonly string[];
  readonly pins: readonly string[];
  readonly eager: readonly string[];
  readonly activated: ReadonlyMap<string, number>;
}

it("lists obey the rule whatever an agent has, found and runs on", () => {
  const seen = { whole: 0, deferred: 0, namedLeft: 0, tooMany: 0 };
  for (let seed = 1; seed <= 400; seed++) {
    const dice = new Dice(seed);
    const tools = ORIGINS.flatMap((origin) =>
      Array.from({ length: dice.below(9) }, (_, index) =>
        testTool({
          name: `${origin.replace(":", "_")}_${"abc"[index % 3]}${index}`,
          ownName: `${"abc"[index % 3]}${index}`,
          origin,
          wildcard: !origin.includes(":"),
          floor: origin === "native" && dice.chance(0.3),
        }),
      ),
    );
    const all = [...tools, testTool({ name: "tool_search", floor: true })];
    const entry = () =>
      dice.weighted<() => string>([
        [4, () => dice.one(all).name],
        [2, () => dice.one(PATTERNS)],
        [1, () => "*"],
      ])();
    const some = (most: number, make: () => string) => Array.from({ length: dice.below(most) }, make);
    const boxes = new Map([["box", { tools: some(8, entry) }]]);
    const caller = testCaller({ toolboxes: ["box"], grants: some(3, entry) });
    const grants = grantSet(caller, boxes);
    const visible = all.filter((tool) => isGranted(tool, caller, grants));
    const world: World = {
      entries: [...boxes.get("box")!.tools, ...caller.grants].filter((one) => one !== "*" && !isPattern(one)),
      pins: some(3, () => dice.one(all).name),
      eager: some(3, () => dice.one(all).name),
      activated: new Map(some(5, () => dice.one(all).name).map((name) => [name, dice.below(100)])),
    };
    const threshold = dice.below(30);
    const maxTools = dice.chance(0.5) ? 1 + dice.below(20) : undefined;
    const mode = dice.one(["auto", "auto", true, false] as const);
    const limits = { mode, threshold, eager: world.eager, ...(maxTools !== undefined && { maxTools }) };
    const keeping = { named: grants.names, pins: world.pins };
    const listing = makeListing(visible, world.activated, keeping, limits);
    const about = JSON.stringify({ seed, limits, entries: world.entries });

    const listed = new Set(listing.tools.map(({ name }) => name));
    const left = listing.deferred.map(({ name }) => name);
    expect([...listed, ...left].sort(), about).toEqual(visible.map(({ name }) => name).sort());
    const isFull = maxTools !== undefined && visible.length > maxTools;
    const defers = isFull || mode === true || (mode === "auto" && visible.length > threshold);
    if (!defers) expect(left, about).toEqual([]);
    const wanted = visible.filter((tool) => whyListed(tool, world) > 0);
    const most = maxTools ?? Number.POSITIVE_INFINITY;
    if (defers && wanted.length <= most)
      expect([...listed].sort(), about).toEqual(wanted.map(({ name }) => name).sort());
    if (defers && wanted.length > most) {
      const staying = wanted.filter((tool) => whyListed(tool, world) === 4);
      expect(listed.size, about).toBe(Math.max(most, staying.length));
      const best = Math.max(0, ...listing.deferred.map((tool) => whyListed(tool, world)));
      const worst = Math.min(
        ...visible.filter(({ name }) => listed.has(name)).map((tool) => whyListed(tool, world)),
      );
      expect(best, about).toBeLessThanOrEqual(worst);
      if (best === 3) seen.namedLeft++;
      if (staying.length > most) {
        expect(listing.tooManyFor, about).toBe(maxTools);
        seen.tooMany++;
      }
    }
    if (left.length === 0) seen.whole++;
    else seen.deferred++;
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
});
