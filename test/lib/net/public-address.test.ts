import type { NetworkInterfaceInfo } from "node:os";
import { describe, expect, test } from "vitest";
import { explainNotPublic } from "../../../src/lib/net/public-address.ts";

test.each([
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.169.254"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.192"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "239.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
  ["::", "::1"],
  ["::2", "::10.0.0.1"],
  ["::127.0.0.1", "::8.8.8.8"],
  ["::ffff:0.0.0.0", "::ffff:127.0.0.1"],
  ["::ffff:169.254.169.254", "::ffff:7f00:1"],
  ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
  ["64:ff9b::127.0.0.1", "64:ff9b::a00:1"],
  ["64:ff9b:1::8.8.8.8", "64:ff9b:1:ffff::1"],
  ["100::1", "100:0:0:1::1"],
  ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
  ["2001:2::1", "2001:1ff:ffff::1"],
  ["2001:db8::1", "2001:db8:ffff::1"],
  ["2002:7f00:1::", "2002:0808:0808::1"],
  ["3fff::1", "3fff:fff::1"],
  ["4000::1", "5f00::1"],
  ["fc00::1", "fdff:ffff::1"],
  ["fd00:ec2::254", "fd20:ce::254"],
  ["fe80::1", "fe80::1%eth0"],
  ["fec0::1", "feff::1"],
  ["ff00::1", "ff02::1"],
  ["localhost", ""],
])("%s and %s are not public", (first, last) => {
  expect(explainNotPublic(first, {})).toEqual(expect.any(String));
  expect(explainNotPublic(last, {})).toEqual(expect.any(String));
});

test.each([
  ["1.0.0.0", "9.255.255.255"],
  ["11.0.0.0", "100.63.255.255"],
  ["100.128.0.0", "126.255.255.255"],
  ["128.0.0.0", "169.253.255.255"],
  ["169.255.0.0", "172.15.255.255"],
  ["172.32.0.0", "191.255.255.255"],
  ["192.0.1.0", "192.0.3.0"],
  ["192.167.255.255", "192.169.0.0"],
  ["198.17.255.255", "198.20.0.0"],
  ["203.0.112.255", "223.255.255.255"],
  ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
  ["2001:200::1", "2001:4860:4860::8888"],
  ["2003::1", "2a00:1450:4001::1"],
  ["2600::", "3ffe:ffff::1"],
])("%s and %s are public", (first, last) => {
  expect(explainNotPublic(first, {})).toBeUndefined();
  expect(explainNotPublic(last, {})).toBeUndefined();
});

describe("this machine", () => {
  const at = (family: "IPv4" | "IPv6", address: string, cidr: string | null) => ({
    eth0: [{ family, address, cidr } as NetworkInterfaceInfo],
  });

  test("is not public at its public addresses", () => {
    expect(explainNotPublic("8.8.4.4", at("IPv4", "8.8.4.4", "8.8.4.4/20"))).toContain("this machine");
    expect(explainNotPublic("8.8.4.5", at("IPv4", "8.8.4.4", "8.8.4.4/20"))).toBeUndefined();
    expect(explainNotPublic("2a00:1:2:3::9", at("IPv6", "2a00:1:2:3::9", null))).toContain("this machine");
  });

  test("has neighbours in IPv6 that are not public either", () => {
    const interfaces = at("IPv6", "2a00:1:2:3::9", "2a00:1:2:3::9/64");
    expect(explainNotPublic("2a00:1:2:3:ffff::1", interfaces)).toContain("its network");
    expect(explainNotPublic("2a00:1:2:4::1", interfaces)).toBeUndefined();
    expect(explainNotPublic("2a00:1::1", at("IPv6", "2a00:1:2:3::9", "2a00:1:2:3::9/32"))).toBeUndefined();
  });
});
