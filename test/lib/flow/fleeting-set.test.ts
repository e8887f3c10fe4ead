import { expect, test } from "vitest";
import { FleetingSet } from "../../../src/lib/flow/fleeting-set.ts";

test("what is taken out is no longer there, wherever it stood, and nothing else goes with it", () => {
  for (const gone of ["a", "b", "c"]) {
    const set = new FleetingSet<string>();
    for (const item of ["a", "b", "c"]) set.add(item);
    set.delete(gone);
    expect([...set.all()].sort()).toEqual(["a", "b", "c"].filter((item) => item !== gone));
    expect(set.size).toBe(2);
    expect(set.find((item) => item === gone)).toBeUndefined();
  }
});

test("taking out what is not there changes nothing", () => {
  const set = new FleetingSet<string>();
  set.delete("a");
  set.add("a");
  set.delete("b");
  expect(set.all()).toEqual(["a"]);
});

test("all are those of the moment, also while they are taken out", () => {
  const set = new FleetingSet<number>();
  for (let n = 0; n < 10; n++) set.add(n);
  let seen = 0;
  for (const item of set.all()) {
    set.delete(item);
    seen++;
  }
  expect(seen).toBe(10);
  expect(set.size).toBe(0);
});
