import { expect, test } from "vitest";
import { leftOutText } from "../../../src/lib/text/left-out.ts";

test("what was left out is said in one line, however much it is", () => {
  const reason = "its definition is larger than 256 kB";
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `t${at}`, reason: "why" }));
  expect(leftOutText([])).toBe(null);
  expect(leftOutText([{ name: "a", reason }])).toBe(`1 tool left out: ${reason} (a)`);
  expect(leftOutText([{ name: null, reason: "it has no name" }])).toBe("1 tool left out: it has no name");
  expect(leftOutText(many(2))).toBe("2 tools left out: t0 (why), t1 (why)");
  expect(leftOutText(many(50))).toMatch(/^50 tools left out: t0 \(why\), .*t4 \(why\), and 45 more$/);
});
