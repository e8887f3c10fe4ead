import { expect, test } from "vitest";
import { PermissionPatterns } from "../../../src/call/catalog/permission-patterns.ts";
import { wildcard } from "../../../src/lib/text/wildcard.ts";
import { Dice } from "../../support/dice.ts";

test("patterns match what each of them matches, for random patterns and permissions", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const dice = new Dice(seed);
    const text = (letters: readonly string[], most: number) =>
      Array.from({ length: 1 + dice.below(most) }, () => dice.one(letters)).join("");
    const patterns = Array.from({ length: dice.below(4) }, () => text(["a", "b", ":", "*"], 6));
    const all = new PermissionPatterns(patterns);
    for (let each = 0; each < 30; each++) {
      const tool = { origin: text(["a", "b", ":"], 3), ownName: text(["a", "b", ":"], 3) };
      const permission = `${tool.origin}:${tool.ownName}`;
      const expected = patterns.some((pattern) => wildcard(pattern)(permission));
      expect(all.match(tool), `seed ${seed}: ${patterns.join(" ")} and ${permission}`).toBe(expected);
    }
  }
});
