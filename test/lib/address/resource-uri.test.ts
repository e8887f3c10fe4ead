import { posix } from "node:path";
import { fileURLToPath, parse } from "node:url";
import { describe, expect, it } from "vitest";
import { canonicalPermission, canonicalUri } from "../../../src/lib/address/resource-uri.ts";
import { Dice } from "../../support/dice.ts";

const SEED = Number(process.env.TEST_SEED ?? 2_026);
const canonical = (uri: string) => {
  const read = canonicalUri(uri);
  return read.ok ? read.value : undefined;
};

describe("a URI of a resource", () => {
  it.each([
    ["file:///srv/pub/../hr/x", "file:///srv/hr/x"],
    ["file:///srv/pub/%2e%2e/hr/x", "file:///srv/hr/x"],
    ["file:///srv/pub/.%2E/hr/x", "file:///srv/hr/x"],
    ["file://localhost/srv/hr/x", "file:///srv/hr/x"],
    ["FILE://LocalHost/srv/./hr/x", "file:///srv/hr/x"],
    ["file:/srv/hr/x", "file:///srv/hr/x"],
    ["file:///srv/%68r/x", "file:///srv/hr/x"],
    ["file:///a%c3%bc", "file:///a%C3%BC"],
    ["file:///aü b", "file:///a%C3%BC%20b"],
    ["http://X.Example:80/a/../b?q=../x", "http://x.example/b?q=../x"],
    ["https://x.example", "https://x.example/"],
    ["ui://chart/../chart/view", "ui://chart/chart/view"],
  ])("%s is compared as %s", (uri, expected) => {
    expect(canonical(uri)).toBe(expected);
    expect(canonical(expected)).toBe(expected);
  });

  it.each([
    ...["git://x", "ui://chart/view", "doc:1", "urn:isbn:1", "mailto:a@b", "repo://Owner%2FName/x", "a note"],
    ...["demo://resource/static/document/a.md", "note:///x", "res://a//b", "res://A/b?x#y", "memory://"],
    ...["test://x/y", "http://u:p@h.example/x", "data:text/plain,hi", "screen://localhost:1", "a"],
  ])("%s is what it says", (uri) => {
    expect(canonical(uri)).toBe(uri);
  });

  it.each([
    ...[
      "file:a",
      "file:////etc/passwd",
      "file://other/x",
      "file://127.0.0.1/x",
      "file:///a%2fb",
      "file:///a%5cb",
    ],
    ...["file:///C:/../x", "file:///c|/x", "file:///pub/a#/../../hr/x", "file:///pub/a?/../../hr/x"],
    ...[
      "file:///pub/%252e%252e/hr",
      "res://a/..%2f..%2fb",
      "res://a/%252e%252e/b",
      "res://a/..%5cb",
      "doc:a/../b",
    ],
    ...[
      "http:/x.example/",
      "http:x",
      "http://0x7f.1/",
      "http://ünï.example/",
      "http://x.example./",
      "http://h:/x",
    ],
    ...[
      "res://a\\b",
      "res://a/%",
      "res://a/%zz",
      "res://a/%ff",
      "res://a/%c0%ae",
      "res://a/%00",
      "res://a\tb",
    ],
    ...[" file:///a", "fi\tle:///a", "file:///a\n", "../hr", "a/../b", "C:\\x"],
  ])("%j is refused: readers differ", (uri) => {
    expect(canonical(uri)).toBeUndefined();
  });
});

it("a pattern for permissions is about the URIs that it means", () => {
  for (const [written, expected] of [
    ["mcp:docs:resource:file://localhost/hr/*", "mcp:docs:resource:file:///hr/*"],
    ["resource:file:///pub/../hr/*", "resource:file:///hr/*"],
    ["mcp:a:resource:FILE:///%68r*", "mcp:a:resource:file:///hr*"],
    ["mcp:a:resource:file:///%68r/%78", "mcp:a:resource:file:///hr/x"],
    ["mcp:*:resource:res://x/*/y", "mcp:*:resource:res://x/*/y"],
    ["mcp:a:resource:ui://chart/view", "mcp:a:resource:ui://chart/view"],
    ["mcp:a:resource:file:*", "mcp:a:resource:file:*"],
    ["resource:*", "resource:*"],
    ["mcp:a:*", "mcp:a:*"],
    ["fs.read", "fs.read"],
  ])
    expect(canonicalPermission(written!)).toBe(expected);
});

describe(`two readers of URLs (TEST_SEED=${SEED})`, () => {
  /** What a program opens that reads URLs as browsers do, and one that goes by the older standard. */
  const readers = [
    (uri: string) => fileURLToPath(uri),
    (uri: string) => posix.normalize(decodeURIComponent(parse(uri).pathname ?? "")),
    (uri: string) =>
      posix.normalize(decodeURIComponent(uri.replace(/^file:(?:\/\/[^/]*)?/i, "").replace(/[?#].*/, ""))),
  ];
  const opened = (uri: string) =>
    readers.map((read) => {
      try {
        return posix.resolve("/", read(uri));
      } catch {
        return undefined;
      }
    });

  function spelled(dice: Dice): string {
    const begin = dice.one([
      "file://",
      "file:",
      "FILE://",
      "file://localhost",
      "file://LOCALHOST",
      "file:///",
      "file://h",
    ]);
    const steps = Array.from({ length: 2 + dice.below(4) }, () =>
      dice.one(["srv", "pub", "hr", "..", ".", "", "x"]),
    );
    const escaped = steps.map((step) =>
      dice.weighted<(text: string) => string>([
        [6, (text) => text],
        [1, (text) => text.replaceAll(".", "%2e")],
        [1, (text) => text.replace("h", "%68")],
        [1, (text) => text.replace("h", "%2568")],
        [1, (text) => text.replace(".", "%252E")],
      ])(step),
    );
    const slash = dice.weighted([
      [12, "/"],
      [1, "%2f"],
      [1, "\\"],
      [1, "%5C"],
    ]);
    const end = dice.weighted([
      [8, ""],
      [1, dice.one(["?x", "#x", "#/../hr", "?/../../x", "/", "%", " ", "\t"])],
    ]);
    return `${begin}/${escaped.join(slash)}${end}`;
  }

  it("open the same file by a URI that is let through, and by the form that it is decided by", () => {
    const dice = new Dice(SEED);
    let through = 0;
    for (let made = 0; made < 20_000; made++) {
      const uri = spelled(dice);
      const form = canonical(uri);
      if (form === undefined) continue;
      through++;
      const [one, ...others] = [...opened(uri), ...opened(form)];
      expect([uri, form, one]).toEqual([uri, form, expect.any(String)]);
      expect([uri, form, new Set(others)]).toEqual([uri, form, new Set([one])]);
      expect(canonical(form)).toBe(form);
    }
    expect(through).toBeGreaterThan(2_000);
  });
});
