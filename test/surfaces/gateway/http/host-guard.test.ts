import { describe, expect, it } from "vitest";
import { createHostGuard } from "../../../../src/surfaces/gateway/http/host-guard.ts";

const guard = createHostGuard({ host: "192.168.1.7", publicUrl: "https://tools.example.org/base" });

describe("the host guard", () => {
  it.each([
    "127.0.0.1",
    "127.0.0.1:19850",
    "localhost:1",
    "LOCALHOST",
    "[::1]:8080",
    "192.168.1.7:19850",
    "tools.example.org",
  ])("lets Host %s pass", (host) => {
    expect(guard({ headers: { host } })).toBeUndefined();
  });

  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "user@evil.example",
    "evil.example@127.0.0.1",
    "127.0.0.1/evil.example",
    "127.0.0.1#evil.example",
    "127.0.0.1\\@evil.example",
    "localhost.",
    "",
    "a b",
  ])("refuses Host %j", (host) => {
    expect(guard({ headers: { host } })).toMatchObject({ code: "HOST_REFUSED", status: 403 });
  });

  it("refuses a request without Host", () => {
    expect(guard({ headers: {} })?.message).toMatch(/the Host header must name one of .*; got nothing/);
  });

  it.each(["http://localhost:3000", "http://127.0.0.1:19850", "https://tools.example.org"])(
    "lets Origin %s pass",
    (origin) => {
      expect(guard({ headers: { host: "localhost", origin } })).toBeUndefined();
    },
  );

  it.each([
    "https://evil.example",
    "null",
    "",
    "http://localhost.evil.example",
    "evil://127.0.0.1",
    "file://",
  ])("refuses Origin %j", (origin) => {
    expect(guard({ headers: { host: "localhost", origin } })).toMatchObject({ code: "HOST_REFUSED" });
  });

  it("knows an IPv6 address that is configured without brackets", () => {
    const check = createHostGuard({ host: "fe80::1", publicUrl: null });
    expect(check({ headers: { host: "[fe80::1]:19850" } })).toBeUndefined();
  });
});
