import { describe, expect, it } from "vitest";
import { parseJson } from "../../../../src/machine/config/document/json-document.ts";
import { removeFromJson, setInJson } from "../../../../src/machine/config/edit/json-edit.ts";

const ENTRY = { type: "http", headers: { Authorization: "Bearer x" } };
const PATH = ["mcpServers", "toolkeep"];

function set(text: string, path: readonly string[] = PATH, value: unknown = ENTRY): string {
  const edited = setInJson(text, path, value);
  if (!edited.ok) throw new Error(edited.error);
  return edited.value;
}

const FILES: readonly (readonly [what: string, text: string])[] = [
  ["an object of two servers", '{\n  "mcpServers": {\n    "a": {"x": 1},\n    "b": {}\n  }\n}\n'],
  ["no servers yet", '{\n  "theme": "dark"\n}\n'],
  ["a trailing comma", '{\n  "mcpServers": {\n    "a": 1,\n  },\n}\n'],
  ["a remark behind the last server", '{\n  "mcpServers": {\n    "a": 1 // mine\n  }\n}\n'],
  ["a remark behind a trailing comma", '{\n  "mcpServers": {\n    "a": 1, /* mine */ \n  },\n}\n'],
  [
    "remarks on their own lines",
    '// top\n{\n  // before\n  "mcpServers": {\n    // only\n    "a": 1\n    // after\n  }\n}\n// end',
  ],
  ["all on one line", '{"mcpServers":{"a":{"x":[1,{"y":"}"}]}},"z":"// no remark"}'],
  ["one line of servers in a larger file", '{\n\t"a": 1,\n\t"mcpServers": { "b": {} }\n}'],
  ["tabs and Windows line ends", '{\r\n\t"mcpServers": {\r\n\t\t"a": 1\r\n\t}\r\n}\r\n'],
  ["a mark at the beginning", '\uFEFF{\n  "mcpServers": {\n    "a": 1\n  }\n}'],
  [
    "brackets and quotes in texts",
    '{\n  "x": "{\\"mcpServers\\": [}",\n  "mcpServers": {\n    "a\\"}": 1\n  }\n}\n',
  ],
  ["an empty object", "{}\n"],
  ["empty servers", '{\n  "mcpServers": {}\n}\n'],
];

describe("setting a key", () => {
  it.each(FILES)("keeps everything else: %s", (_, text) => {
    const edited = set(text);
    const before = parseJson(text.replace(/^\uFEFF/, "")).value as Record<string, object>;
    expect(parseJson(edited.replace(/^\uFEFF/, "")).value).toEqual({
      ...before,
      mcpServers: { ...before.mcpServers, toolkeep: ENTRY },
    });
    for (const remark of text.match(/\/\/ ?\w+|\/\*.*?\*\//g) ?? []) expect(edited).toContain(remark);
  });

  it.each(FILES)("is undone by removing it, to the letter: %s", (_, text) => {
    const edited = set(text);
    const container = (parseJson(text.replace(/^\uFEFF/, "")).value as Record<string, object>).mcpServers;
    const removed =
      container === undefined ? removeFromJson(edited, ["mcpServers"]) : removeFromJson(edited, PATH);
    expect(removed).toBe(text);
  });

  it("writes like the rest of the file", () => {
    expect(set('{\n    "mcpServers": {\n        "a": 1\n    }\n}\n')).toBe(
      '{\n    "mcpServers": {\n        "a": 1,\n        "toolkeep": {\n            "type": "http",\n            "headers": {\n                "Authorization": "Bearer x"\n            }\n        }\n    }\n}\n',
    );
    expect(set('{"a":1}')).toBe(`{"a":1,"mcpServers":{"toolkeep":${JSON.stringify(ENTRY)}}}`);
    expect(set("")).toBe(`${JSON.stringify({ mcpServers: { toolkeep: ENTRY } }, null, 2)}\n`);
  });

  it("puts a remark's line before it, not behind it", () => {
    expect(set('{\n  "a": 1 // one\n}', ["b"], 2)).toBe('{\n  "a": 1, // one\n  "b": 2\n}');
  });

  it("replaces what stands there", () => {
    const edited = set(set('{\n  "mcpServers": {\n    "a": 1\n  }\n}\n'), PATH, { url: "new" });
    expect(parseJson(edited).value).toEqual({ mcpServers: { a: 1, toolkeep: { url: "new" } } });
  });

  it("refuses where something else than an object leads there", () => {
    expect(setInJson('{"mcpServers": []}', PATH, ENTRY)).toEqual({
      ok: false,
      error: "mcpServers is no object",
    });
  });
});

describe("removing a key", () => {
  const text = '{\n  "a": 1, // one\n  // about b\n  "b": { "c": [1, 2] },\n  "d": 4\n}\n';

  it.each([
    ["a", { b: { c: [1, 2] }, d: 4 }],
    ["b", { a: 1, d: 4 }],
    ["d", { a: 1, b: { c: [1, 2] } }],
  ])("leaves the others: %s", (key, expected) => {
    expect(parseJson(removeFromJson(text, [key])).value).toEqual(expected);
  });

  it("never lets a remark swallow what follows it", () => {
    const tight = '{\n  // one\n  "a": 1, "b": 2\n}';
    expect(parseJson(removeFromJson(tight, ["a"])).value).toEqual({ b: 2 });
    const last = '{ "a": 1, // one\n "b": 2}';
    expect(parseJson(removeFromJson(last, ["b"])).value).toEqual({ a: 1 });
  });

  it("changes nothing where there is no such key", () => {
    expect(removeFromJson(text, ["b", "x"])).toBe(text);
    expect(removeFromJson(text, ["a", "x"])).toBe(text);
    expect(removeFromJson("", ["a"])).toBe("");
  });
});
