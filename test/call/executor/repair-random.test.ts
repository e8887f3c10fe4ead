import { expect, it } from "vitest";
import { checkArguments } from "../../../src/call/executor/arguments/arguments.ts";
import { repair } from "../../../src/call/executor/arguments/repair.ts";
import { Schemas } from "../../../src/lib/schema/schemas.ts";
import { Dice } from "../../support/dice.ts";
import { atLength } from "../../support/length.ts";
import { RandomSchemas } from "../../support/random-schemas.ts";

const SCHEMAS = atLength(40, 8);
const VALUES = 6;

it("what was written as text is what it was, and what fits already stays as it is", () => {
  let repaired = 0;
  for (let seed = 1; seed <= SCHEMAS; seed++) {
    // The limits are wall-clock times, and a starved machine may stand still for longer.
    const limits = { compileMs: 20_000, checkMs: 20_000 };
    const schemas = new Schemas((_, message) => expect.unreachable(message), limits);
    const { schema, make } = new RandomSchemas(new Dice(seed)).arguments();
    const tool = { name: "t", inputSchema: schema };
    const check = (given: unknown) =>
      schemas.within(tool, { size: 0, chars: 0, longest: 0 }, (problems) => problems(given));
    for (let count = 0; count < VALUES; count++) {
      const { value, written } = make();
      const about = JSON.stringify({ seed, schema, value, written });
      expect(check(value), about).toEqual({ ok: true, value: [] });
      const fitting = checkArguments(tool, value, { schemas, vault: { redact: (text) => text } });
      expect(fitting.ok && fitting.value, about).toBe(value);
      expect(repair(schema, value, schemas.partsOf(tool)), about).toEqual(value);
      expect(repair(schema, written, schemas.partsOf(tool)), about).toEqual(value);
      if (JSON.stringify(value) !== JSON.stringify(written)) repaired++;
    }
  }
  expect(repaired).toBeGreaterThan(SCHEMAS);
}, 60_000);
