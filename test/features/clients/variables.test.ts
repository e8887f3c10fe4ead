// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what it is about
import { describe, expect, it } from "vitest";
import type { Dialect } from "../../../src/features/clients/client.ts";
import { expand } from "../../../src/features/clients/variables.ts";

const meanings = {
  env: { KEY: "value", EMPTY: "", "A.B": "dotted" },
  home: "/home/me",
  folder: "/home/me/app",
  near: "/home/me/.config/opencode",
  readText: async (path: string) => (path === "/home/me/.token" ? " from a file\n" : undefined),
};

describe("references", () => {
  it.each<[Dialect["variables"], string, string]>([
    ["braces", "${KEY}", "value"],
    ["braces", "Bearer ${env:KEY}!", "Bearer value!"],
    ["braces", "${KEY}${KEY}", "valuevalue"],
    ["braces", "${NONE:-default}", "default"],
    ["braces", "${EMPTY:-}", ""],
    ["braces", "${KEY:-default}", "value"],
    ["braces", "${workspaceFolder}/${workspaceFolderBasename}", "/home/me/app/app"],
    ["braces", "${userHome}${/}x", "/home/me/x"],
    ["braces", "$KEY costs 5$", "$KEY costs 5$"],
    ["shell", "$KEY and ${KEY}, 5$", "value and value, 5$"],
    ["opencode", "{env:KEY} {file:~/.token} ${KEY}", "value from a file ${KEY}"],
    ["none", "${KEY} $KEY {env:KEY}", "${KEY} $KEY {env:KEY}"],
  ])("of a client with %s: %s", async (style, text, expected) => {
    expect(await expand(text, style, meanings)).toMatchObject({ text: expected, missing: [] });
  });

  it.each<[Dialect["variables"], string]>([
    ["braces", "${NONE}"],
    ["braces", "${EMPTY}"],
    ["braces", "${input:token}"],
    ["braces", "${command:x.y}"],
    ["shell", "$NONE"],
    ["opencode", "{env:NONE}"],
    ["opencode", "{file:/no/such/file}"],
  ])("of a client with %s that stand for nothing stay, and are told: %s", async (style, text) => {
    expect(await expand(`a ${text}`, style, meanings)).toEqual({
      text: `a ${text}`,
      used: [],
      missing: [text],
    });
  });

  it("to a project stand for nothing where there is none", async () => {
    const { missing } = await expand("${workspaceFolder}", "braces", { ...meanings, folder: null });
    expect(missing).toEqual(["${workspaceFolder}"]);
  });

  it("that were replaced by a value are told, those to folders are not", async () => {
    const { used } = await expand("${KEY} ${userHome} ${NONE:-x}", "braces", meanings);
    expect(used).toEqual(["${KEY}"]);
  });

  it("inside values are not replaced again", async () => {
    const env = { OUTER: "${INNER}", INNER: "no" };
    expect((await expand("${OUTER}", "braces", { ...meanings, env })).text).toBe("${INNER}");
  });
});
