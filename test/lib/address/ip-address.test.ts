import { describe, expect, test } from "vitest";
import { contains, parseAddress, parseRange } from "../../../src/lib/address/ip-address.ts";

describe("an address", () => {
  test.each([
    ["127.0.0.1", 32, 0x7f000001n],
    ["::", 128, 0n],
    ["::1", 128, 1n],
    ["1::", 128, 1n << 112n],
    ["2001:db8::8:800:200c:417a", 128, 0x20010db80000000000080800200c417an],
    ["1:2:3:4:5:6:7:8", 128, 0x00010002000300040005000600070008n],
    ["fe80::1%eth0", 128, 0xfe800000000000000000000000000001n],
  ])("%s is read whole", (text, bits, value) => {
    expect(parseAddress(text)).toEqual({ bits, value });
  });

  test.each(["::ffff:10.1.2.3", "::ffff:a01:203", "64:ff9b::10.1.2.3", "64:ff9b::a01:203"])(
    "%s is the IPv4 address it leads to",
    (text) => {
      expect(parseAddress(text)).toEqual(parseAddress("10.1.2.3"));
    },
  );

  test.each(["", "localhost", "10.0.0", "10.0.0.256", "1:2:3", "::g", "10.0.0.0/8"])("%j is none", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe("a range", () => {
  test.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["172.16.0.0/12", "172.31.255.255", true],
    ["172.16.0.0/12", "172.32.0.0", false],
    ["0.0.0.0/0", "8.8.8.8", true],
    ["0.0.0.0/0", "2001:4860::1", false],
    ["fe80::/10", "febf:ffff::1", true],
    ["fe80::/10", "fec0::", false],
    ["10.0.0.5", "10.0.0.5", true],
    ["10.0.0.5", "10.0.0.6", false],
    ["::ffff:10.0.0.5", "10.0.0.5", true],
    ["10.0.0.0/8", "::ffff:10.0.0.5", true],
  ])("%s has %s: %s", (range, address, isIn) => {
    expect(contains(parseRange(range)!, parseAddress(address)!)).toBe(isIn);
  });

  test.each(["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1", "x/8", "example.com"])(
    "%j is none",
    (text) => expect(parseRange(text)).toBeUndefined(),
  );
});
