import { expect, test } from "vitest";
import { BoundedMap } from "../../src/lib/bounded-map.ts";

test("one entry too many drops the one that was added first, however it was used", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2);
  map.get("a");
  map.set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["b", 2],
    ["c", 4],
  ]);
  expect(map.size).toBe(2);
});

test("or the one that was used longest ago, by reading or by writing", () => {
  const map = new BoundedMap<string, number>(2, { drops: "least used" });
  map.set("a", 1).set("b", 2);
  expect(map.get("a")).toBe(1);
  map.set("c", 3);
  expect([...map.keys()]).toEqual(["a", "c"]);
  map.set("a", 4).set("d", 5);
  expect([...map]).toEqual([
    ["a", 4],
    ["d", 5],
  ]);
});

test("an entry is made once, and again after it was dropped", () => {
  const map = new BoundedMap<string, string>(1);
  let made = 0;
  const make = () => `made ${++made}`;
  expect(map.getOrMake("a", make)).toBe("made 1");
  expect(map.getOrMake("a", make)).toBe("made 1");
  expect(map.getOrMake("b", make)).toBe("made 2");
  expect(map.getOrMake("a", make)).toBe("made 3");
});

test("an entry with an age is gone when it is reached; being set again makes it young", () => {
  let now = 0;
  const map = new BoundedMap<string, number>(10, { maxAge: { ms: 100, clock: () => now } });
  map.set("a", 1).set("b", 2);
  now = 60;
  map.set("b", 3);
  now = 99;
  expect(map.get("a")).toBe(1);
  now = 100;
  expect(map.get("a")).toBeUndefined();
  expect(map.get("b")).toBe(3);
  expect([...map.keys()]).toEqual(["b"]);
  now = 160;
  expect(map.getOrMake("b", () => 4)).toBe(4);
});

test("what was deleted or cleared leaves no age behind", () => {
  let now = 0;
  const map = new BoundedMap<string, number>(10, { maxAge: { ms: 100, clock: () => now } });
  map.set("a", 1).set("b", 2);
  expect(map.delete("a")).toBe(true);
  expect(map.delete("a")).toBe(false);
  map.clear();
  expect(map.size).toBe(0);
  now = 50;
  map.set("a", 3);
  now = 100;
  expect(map.get("a")).toBe(3);
});
