import { describe, expect, test } from "vitest";
import { withoutCredentials } from "../../../src/call/vault/credentials.ts";
import { workNow } from "../../support/work-clock.ts";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

describe("withoutCredentials", () => {
  test("takes a JWT out whole, wherever it stands", () => {
    expect(withoutCredentials(`a ${JWT} b`)).toEqual({ text: "a [redacted jwt] b", counts: { jwt: 1 } });
    expect(withoutCredentials(`x-${JWT}, ${JWT}`).text).toBe("x-[redacted jwt], [redacted jwt]");
    expect(withoutCredentials(`eyJhbGciOiJIUzI1NiJ9-${JWT}`).text).toBe("[redacted jwt]");
    expect(withoutCredentials(JWT.replaceAll(".", " ")).counts).toEqual({});
  });

  test.each([
    ["beginnings of tokens", "eyJ----------"],
    ["beginnings and middles of tokens", "eyJ----------.eyJ"],
    ["beginnings of keys", "-----BEGIN PRIVATE KEY-----"],
    ["beginnings of addresses", "aa://b:"],
    ["beginnings of assignments", 'password="'],
  ])("does not take long over %s", (_, piece) => {
    const took = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const began = workNow();
      withoutCredentials(text);
      return workNow() - began;
    };
    took(1_000);
    expect(Math.min(took(200_000), took(200_000))).toBeLessThan(400);
  });
});
