import { expect, test } from "vitest";
import { Slots } from "../../../src/lib/flow/slots.ts";

test("each value is found by its own id until it is taken, however many there are", () => {
  const slots = new Slots<string>(1000, 2000);
  const held = new Map<number, string>();
  for (let n = 0; n < 300; n++) {
    const id = slots.newId();
    slots.set(id, `value ${n}`);
    held.set(id, `value ${n}`);
  }
  expect(held.size).toBe(300);
  for (const [id, value] of held) expect(slots.get(id)).toBe(value);
  expect(slots.ids().sort((a, b) => a - b)).toEqual([...held.keys()]);
  for (const [id, value] of held) expect(slots.take(id)).toBe(value);
  expect(slots.count).toBe(0);
  expect(slots.ids()).toEqual([]);
});

test("an id that is taken, or never was there, finds nothing", () => {
  const slots = new Slots<string>(0, 1000);
  const id = slots.newId();
  slots.set(id, "it");
  expect(slots.get(id + 64)).toBeUndefined();
  slots.take(id);
  expect(slots.take(id)).toBeUndefined();
  expect(slots.get(id)).toBeUndefined();
  expect(slots.get(Number.NaN)).toBeUndefined();
});

test("ids rise and begin anew after the last, past those still in use", () => {
  const slots = new Slots<string>(100, 170);
  const kept = slots.newId();
  slots.set(kept, "kept");
  const given = Array.from({ length: 200 }, () => slots.newId());
  expect(given).not.toContain(kept);
  expect(Math.min(...given)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...given)).toBe(170);
  expect(slots.get(kept)).toBe("kept");
});

test("only ids from the first to the last can be its own", () => {
  const slots = new Slots<string>(1000, 2000);
  expect([999, 1000, 2000, 2001, Number.NaN].map((id) => slots.covers(id))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});
