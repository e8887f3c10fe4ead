import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { seal, unseal } from "../../../src/call/vault/seal.ts";

const key = randomBytes(32);
const unreadable = expect.objectContaining({ code: "SECRET_UNREADABLE" });

test.each(["", "plain", "🦊 東京 \n\0", "x".repeat(1_000_000)])("what is sealed can be unsealed", (plain) => {
  expect(unseal(seal(plain, "server:fs", key), "server:fs", key)).toBe(plain);
});

test("sealing the same twice gives different bytes", () => {
  expect(seal("same", "p", key)).not.toEqual(seal("same", "p", key));
});

test("another key or another purpose does not open it", () => {
  const sealed = seal("value", "server:fs", key);
  expect(() => unseal(sealed, "server:fs", randomBytes(32))).toThrow(unreadable);
  expect(() => unseal(sealed, "server:git", key)).toThrow(unreadable);
});

test("no byte of it can be altered, and no end cut off", () => {
  const sealed = seal("value", "p", key);
  for (let index = 0; index < sealed.length; index++) {
    const altered = Uint8Array.from(sealed);
    altered[index]! ^= 1;
    expect(() => unseal(altered, "p", key), `byte ${index}`).toThrow(unreadable);
    expect(() => unseal(sealed.subarray(0, index), "p", key), `cut at ${index}`).toThrow(unreadable);
  }
});
