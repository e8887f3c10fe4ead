import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { removeFromToml, setInToml } from "../../../../src/machine/config/edit/toml-edit.ts";

const PATH = ["mcp_servers", "toolkeep"];
const ENTRY = { url: "http://127.0.0.1:1/mcp", http_headers: { Authorization: "Bearer x" } };

const FILES: readonly (readonly [what: string, text: string])[] = [
  [
    "other settings",
    'model = "x" # the best\n\n# servers\n[mcp_servers.a]\ncommand = "npx"\nargs = [\n  "-y", # yes\n  "[mcp_servers.toolkeep]",\n]\n',
  ],
  [
    "a table further below",
    '[mcp_servers.a]\ncommand = "x"\n\n[mcp_servers.a.env]\nA = "1"\n\n[[projects]]\nname = "p"\n',
  ],
  ["texts over lines", 'note = """\n[mcp_servers.toolkeep]\nurl = "no"\n"""\nraw = \'\'\'\n[x]\n\'\'\'\n'],
  ["Windows line ends", 'model = "x"\r\n\r\n[mcp_servers.a]\r\ncommand = "x"\r\n'],
  ["quoted keys and dates", '[mcp_servers."a b"]\ncommand = "x"\nsince = 2026-11-16 10:00:00\n'],
  ["inline tables", '[mcp_servers]\na = { command = "x", env = { B = "]" } }\n'],
];

describe("setting a table", () => {
  it.each(FILES)("keeps everything else, and removing it gives the text back: %s", (_, text) => {
    const edited = setInToml(text, PATH, ENTRY);
    const before = parse(text) as Record<string, object>;
    expect(parse(edited)).toEqual({ ...before, mcp_servers: { ...before.mcp_servers, toolkeep: ENTRY } });
    expect(edited.startsWith(text)).toBe(true);
    expect(removeFromToml(edited, PATH)).toBe(text);
  });

  it("replaces what stands there, wherever", () => {
    const text =
      '[mcp_servers.toolkeep]\nurl = "old" # mine\n\n[mcp_servers.toolkeep.http_headers]\nA = "1"\n\n# about b\n[mcp_servers.b]\ncommand = "x"\n';
    const edited = setInToml(text, PATH, ENTRY);
    expect(parse(edited)).toEqual({ mcp_servers: { b: { command: "x" }, toolkeep: ENTRY } });
    expect(edited).toContain("# about b\n[mcp_servers.b]");
  });

  it("begins an empty file", () => {
    expect(setInToml("", PATH, ENTRY)).toBe(
      '[mcp_servers.toolkeep]\nurl = "http://127.0.0.1:1/mcp"\n\n[mcp_servers.toolkeep.http_headers]\nAuthorization = "Bearer x"\n',
    );
  });
});

describe("removing a table", () => {
  it.each([
    [
      "dotted keys",
      'mcp_servers.toolkeep.url = "x"\nmcp_servers.a.command = "y"\n',
      { mcp_servers: { a: { command: "y" } } },
    ],
    [
      "a key of the table above",
      '[mcp_servers]\ntoolkeep = { url = "x" }\na = { command = "y" }\n',
      { mcp_servers: { a: { command: "y" } } },
    ],
    ["quoted names", '[mcp_servers."toolkeep"]\nurl = "x"\n[other]\nb = 1\n', { other: { b: 1 } }],
  ])("finds it written as %s", (_, text, expected) => {
    expect(parse(removeFromToml(text, PATH))).toEqual(expected);
  });

  it("takes no table of a longer name", () => {
    const text = '[mcp_servers.toolkeeper]\nurl = "x"\n';
    expect(removeFromToml(text, PATH)).toBe(text);
  });
});
