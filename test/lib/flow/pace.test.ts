import { expect, test } from "vitest";
import { createPace } from "../../../src/lib/flow/pace.ts";

test("others get their turn between the steps of long work", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const pace = createPace();
  for (let step = 0; step < 20; step++) {
    work(5);
    await pace();
  }
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
