import { expect, test } from "vitest";
import type { PinRecord } from "../../../src/servers/records.ts";
import { type Comparison, comparePins, type PublishedItem } from "../../../src/servers/trust/compare-pins.ts";
import { computeFingerprint } from "../../../src/servers/trust/fingerprint.ts";

const NOW = 1_000;

const tool = (key: string, description = `Does ${key}.`): PublishedItem => ({
  key,
  definition: { name: key, description },
});
const print = ({ definition }: PublishedItem) => computeFingerprint("tool", definition);

/** What is pinned after lists have come one after another, each as `change` says. */
async function after(...lists: readonly Partial<Comparison>[]) {
  let pins: readonly PinRecord[] = [];
  let known: readonly PublishedItem[] | undefined;
  let compared = await compare({ pins, before: known, after: [] }, lists[0]!);
  for (const [at, list] of lists.entries()) {
    if (at > 0) compared = await compare({ pins, before: known, after: [] }, list);
    const replaced = new Map(pins.map((pin) => [pin.key, pin]));
    for (const { key } of compared.removed) replaced.delete(key);
    for (const pin of compared.put) replaced.set(pin.key, pin);
    pins = [...replaced.values()];
    known = list.after;
  }
  const pinOf = (key: string) => pins.find((pin) => pin.key === key);
  return { pins, pinOf, ...compared };
}

const compare = (
  before: Pick<Comparison, "pins" | "before" | "after">,
  change: Partial<Comparison>,
): ReturnType<typeof comparePins> =>
  comparePins({ serverId: "srv", kind: "tool", isWhole: true, now: NOW, ...before, ...change });

test("the first list is accepted as it is, an empty one too", async () => {
  const first = await after({ after: [tool("a"), tool("b")] });
  expect(first.pins.map(({ key, accepted, held }) => [key, accepted, held])).toEqual([
    ["", null, null],
    ["a", print(tool("a")), null],
    ["b", print(tool("b")), null],
  ]);
  expect(first.waiting).toEqual([]);
  const grown = await after({ after: [] }, { after: [tool("a")], before: undefined });
  expect(grown.pinOf("a")).toMatchObject({ accepted: null, held: print(tool("a")) });
});

test("where a server was known before it was pinned, that counts as the first list", async () => {
  const { pinOf, waiting } = await after({ before: [tool("a")], after: [tool("a", "Other."), tool("b")] });
  expect(pinOf("a")).toMatchObject({
    accepted: print(tool("a")),
    acceptedAs: { name: "a", description: "Does a." },
    heldAs: { name: "a", description: "Other." },
  });
  expect(pinOf("b")).toMatchObject({ accepted: null, held: print(tool("b")) });
  expect(waiting.map(({ key }) => key)).toEqual(["a", "b"]);
});

test("what is as it was is not written again", async () => {
  const same = await after({ after: [tool("a")] }, { after: [tool("a")] });
  expect([same.put, same.removed]).toEqual([[], []]);
  const held = await after({ after: [tool("a")] }, { after: [tool("a", "2")] }, { after: [tool("a", "2")] });
  expect([held.put, held.removed]).toEqual([[], []]);
});

test("what changes again and again is compared with what was accepted, and goes back to it", async () => {
  const changes = [{ after: [tool("a")] }, { after: [tool("a", "2")] }, { after: [tool("a", "3")] }];
  const changed = await after(...changes);
  expect(changed.pinOf("a")).toMatchObject({
    acceptedAs: { description: "Does a." },
    heldAs: { description: "3" },
  });
  const back = await after(...changes, { after: [tool("a")] });
  expect(back.pinOf("a")).toMatchObject({ acceptedAs: null, held: null, heldAs: null });
  expect(back.waiting).toEqual([]);
});

test("a part of a list keeps back what is new in it, and lets nothing through", async () => {
  const first = { after: [tool("a"), tool("b")] };
  const part = await after(first, { after: [tool("a", "2")] }, { after: [tool("a")], isWhole: false });
  expect(part.pinOf("a")).toMatchObject({ held: print(tool("a", "2")) });
  expect(part.pinOf("b")).toMatchObject({ accepted: print(tool("b")) });
  expect([part.put, part.removed]).toEqual([[], []]);
});

test("what vanishes is still known when it returns; what nobody decided about is forgotten", async () => {
  const first = { after: [tool("a")] };
  const gone = await after(first, { after: [tool("a", "2"), tool("b")] }, { after: [] });
  expect(gone.removed.map(({ key }) => key)).toEqual(["b"]);
  expect(gone.pinOf("a")).toMatchObject({ accepted: print(tool("a")), held: null });
  const other = await after(first, { after: [] }, { after: [tool("a", "2")] });
  expect(other.pinOf("a")).toMatchObject({
    acceptedAs: { description: "Does a." },
    held: print(tool("a", "2")),
  });
});

test("nobody is asked again about what was rejected, unless it changes", async () => {
  const held = await after({ after: [] }, { after: [tool("a")], before: undefined });
  const rejected = held.pins.map((pin) => ({ ...pin, rejected: pin.held }));
  const again = async (...lists: readonly PublishedItem[][]) => {
    let pins: readonly PinRecord[] = rejected;
    let asked: readonly PinRecord[] = [];
    for (const list of lists) {
      const { put, waiting } = await compare({ pins, before: undefined, after: list }, {});
      pins = [...pins.filter(({ key }) => !put.some((pin) => pin.key === key)), ...put];
      asked = waiting;
    }
    return asked.map(({ key }) => key);
  };
  expect(await again([tool("a")])).toEqual([]);
  expect(await again([], [tool("a")])).toEqual([]);
  expect(await again([tool("a", "2")])).toEqual(["a"]);
});

test("a fingerprint is of what a person accepts, whatever the order of its fields", () => {
  const one = { name: "a", description: "b", inputSchema: { type: "object", properties: {} } };
  const other = {
    inputSchema: { properties: {}, type: "object" },
    description: "b",
    name: "a",
    other: 2,
  };
  expect(computeFingerprint("tool", one)).toBe(computeFingerprint("tool", other));
  for (const change of [{ title: "t" }, { annotations: { readOnlyHint: true } }, { outputSchema: {} }])
    expect(computeFingerprint("tool", { ...one, ...change })).not.toBe(computeFingerprint("tool", one));
});
