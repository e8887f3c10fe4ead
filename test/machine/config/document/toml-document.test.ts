import { describe, expect, test } from "vitest";
import { parseToml } from "../../../../src/machine/config/document/toml-document.ts";

const TEXT = `# settings
port = 3
text = """
[not.a.table]
port = 4
"""
[mcp]
enabled = true # ] } ,
[[mcp.servers]]
name = "one"
args = [
  "a", # a comment ]
  5,
]
env = { A = "1", "b c".d = 2 }

[[mcp.servers]]
name = "two"
  [mcp.servers.env]
  K = 1979-05-27 07:32:00
["quo\\u0041" . 'x']
z=1
`;

describe("parseToml", () => {
  test.each([
    [["port"], 2, 1],
    [["text"], 3, 1],
    [["mcp", "enabled"], 8, 1],
    [["mcp", "servers"], 9, 7],
    [["mcp", "servers", 0], 9, 1],
    [["mcp", "servers", 0, "name"], 10, 1],
    [["mcp", "servers", 0, "args", 1], 13, 3],
    [["mcp", "servers", 0, "env", "b c", "d"], 15, 24],
    [["mcp", "servers", 1], 17, 1],
    [["mcp", "servers", 1, "name"], 18, 1],
    [["mcp", "servers", 1, "env", "K"], 20, 3],
    [["quoA", "x", "z"], 22, 1],
    [["mcp", "servers", 1, "url"], 17, 1],
  ])("%j stands in line %i, column %i", (path, line, column) => {
    expect(parseToml(TEXT).locate(path)).toEqual({ line, column });
  });

  test("an error names line and column and quotes nothing of the file", () => {
    const parse = () => parseToml('a = 1\nb = "hunter2\n');
    expect(parse).toThrow(expect.objectContaining({ position: expect.objectContaining({ line: 2 }) }));
    expect(parse).not.toThrow(/hunter2/);
  });

  test.each([
    ["a dotted key", `${"a.".repeat(100_000)}a = 1`],
    ["a table", `[${"a.".repeat(100_000)}a]`],
    ["lists in lists", `a = ${"[".repeat(500)}${"]".repeat(500)}`],
  ])("%s nested without end is refused", (_what, text) => {
    expect(() => parseToml(text)).toThrow("expected at most 64 levels of nesting");
  });
});
