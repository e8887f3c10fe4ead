import { expect, test } from "vitest";
import { describeLeftOut } from "../../../src/lib/text/left-out.ts";

test("what was left out is said in one line, however much it is", () => {
  const reason = "its definition is larger than 256 kB";
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `t${at}`, reason: "why" }));
  expect(describeLeftOut([])).toBe(null);
  expect(describeLeftOut([{ name: "a", reason }])).toBe(`1 tool left out: ${reason} (a)`);
  expect(describeLeftOut([{ name: null, reason: "it has no name" }])).toBe("1 tool left out: it has no name");
  expect(describeLeftOut(many(2))).toBe("2 tools left out: t0 (why), t1 (why)");
  expect(describeLeftOut(many(50))).toMatch(/^50 tools left out: t0 \(why\), .*t4 \(why\), and 45 more$/);
});
