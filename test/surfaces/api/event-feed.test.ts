import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVENT_NAMES } from "../../../src/contract/events.ts";

it("the list of events has every event and no other", () => {
  const source = readFileSync(join(import.meta.dirname, "../../../src/contract/events.ts"), "utf8");
  const declared = [...source.matchAll(/^ {2}"([a-z]+\.[a-z]+)":/gm)].map((match) => match[1]);
  expect([...EVENT_NAMES].sort()).toEqual(declared.sort());
});
