import { describe, expect, test } from "vitest";
import { hostKey, readTrust } from "../../../src/lib/net/reach.ts";

describe("a host is trusted", () => {
  test.each([
    ["by its name", "wiki.internal", "wiki.internal"],
    ["whatever the case of its name", "Wiki.Internal", "wiki.internal"],
    ["by a domain it is under", "*.internal", "a.wiki.internal"],
    ["by its address", "10.0.0.5", "10.0.0.5"],
    ["by its address in brackets", "[::1]", "::1"],
    ["by a range its address is in", "10.0.0.0/8", "10.1.2.3"],
  ])("%s", (_, entry, host) => expect(readTrust([entry]).hasHost(host)).toBe(true));

  test.each([
    ["its name continues that of another", "wiki.internal", "wiki.internal.evil.test"],
    ["its name only ends like that of another", "wiki.internal", "evilwiki.internal"],
    ["it is a domain of which the subdomains are", "*.internal", "internal"],
    ["its name only ends like a domain", "*.internal", "evilinternal"],
    ["all domains were meant", "*.", "example.com"],
    ["it is outside the range", "10.0.0.0/8", "11.0.0.1"],
    ["the range is none", "10.0.0.0/99", "10.0.0.1"],
  ])("not because %s", (_, entry, host) => expect(readTrust([entry]).hasHost(host)).toBe(false));
});

test("an address is trusted by an address or a range, never by a name", () => {
  const trust = readTrust(["wiki.internal", "10.0.0.0/8", "fd00::1"]);
  expect(trust.hasAddress("10.1.2.3")).toBe(true);
  expect(trust.hasAddress("::ffff:10.1.2.3")).toBe(true);
  expect(trust.hasAddress("fd00::1")).toBe(true);
  expect(trust.hasAddress("192.168.0.1")).toBe(false);
  expect(readTrust(["wiki.internal"]).hasAddress("10.1.2.3")).toBe(false);
});

test("a host has one spelling", () => {
  expect(["LOCALHOST.", "[::1]", "10.0.0.1"].map(hostKey)).toEqual(["localhost", "::1", "10.0.0.1"]);
});
