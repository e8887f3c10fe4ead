import type { Dice } from "./dice.ts";

/** Values that were not expected anywhere. Those with `__proto__` have it as a key, as JSON can. */
const NASTY: readonly unknown[] = [
  null,
  true,
  -1,
  0.1,
  1e308,
  2 ** 53,
  "",
  "\u0000",
  "\ud800",
  "a\r\nb: c",
  "../../../../etc/passwd",
  "%00%ff",
  "💥".repeat(50),
  "x".repeat(5_000),
  [],
  {},
  [[[[]]]],
  Array.from({ length: 2_000 }, () => 0),
  JSON.parse('{"__proto__":{"jsonrpc":"2.0","method":"tools/list","id":"polluted","operator":true}}'),
  { constructor: { prototype: { jsonrpc: "2.0", method: "tools/list", id: "polluted" } } },
  { length: 1e9 },
  { toString: 1, valueOf: 2 },
  { toJSON: "y" },
];

export function nasty(dice: Dice): unknown {
  return structuredClone(dice.one(NASTY));
}

/** Puts something else in one place of a value, takes it away, or adds something. */
export function spoil(value: Record<string, unknown>, dice: Dice): void {
  const keys = Object.keys(value);
  if (keys.length === 0 || dice.chance(0.05)) {
    add(value, dice.one(["__proto__", "constructor", "extra", ""]), nasty(dice));
    return;
  }
  const key = dice.one(keys);
  const inner = value[key];
  if (typeof inner === "object" && inner !== null && !Array.isArray(inner) && dice.chance(0.8))
    spoil(inner as Record<string, unknown>, dice);
  else if (dice.chance(0.2)) delete value[key];
  else value[key] = instead(inner, dice);
}

function instead(value: unknown, dice: Dice): unknown {
  if (dice.chance(0.2)) return [value];
  return typeof value === "string" && dice.chance(0.3) ? bent(value, dice) : nasty(dice);
}

/** As a key of its own, also where the language would take it for something else. */
function add(value: object, key: string, inner: unknown): void {
  Object.defineProperty(value, key, { value: inner, enumerable: true, configurable: true, writable: true });
}

function bent(text: string, dice: Dice): string {
  const at = dice.below(text.length);
  return dice.one([
    text.slice(0, at),
    `${text.slice(0, at)}\u0000${text.slice(at)}`,
    text.toUpperCase(),
    `${text}A`,
    ` ${text}`,
    text.replaceAll("/", "%2f"),
  ]);
}
