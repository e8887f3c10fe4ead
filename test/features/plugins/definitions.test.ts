import { describe, expect, it } from "vitest";
import { checkDefinitions, getEffectiveFlags } from "../../../src/features/plugins/definitions.ts";
import { buildToolName, deriveName } from "../../../src/features/plugins/names.ts";

const tool = (more: object) => ({ name: "tool", description: "Does it.", runs: true, ...more });
const plain = (text: string) => text;

describe("what a plugin says its tools are", () => {
  it.each([
    [null, "without a name"],
    [{ name: 7 }, "without a name"],
    [tool({ name: "a b" }), "letters, digits"],
    [tool({ name: "" }), "letters, digits"],
    [tool({ runs: false }), "no run function"],
    [tool({ description: " " }), "no description"],
    [tool({ inputSchema: { x: "x".repeat(70_000) } }), "more than 65536 bytes"],
    [tool({ description: "the key is s3cret" }), "contains a secret"],
    [tool({ inputSchema: JSON.parse("[".repeat(200) + "]".repeat(200)) }), "levels deep"],
  ])("is left out where it cannot be used: %#", (described, warning) => {
    const redact = (text: string) => text.replace("s3cret", "***");
    const { tools, warnings } = checkDefinitions([described, tool({ name: "other" })], redact);
    expect(tools.map(({ ownName }) => ownName)).toEqual(["other"]);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  it("has every name once and at most 200 tools", () => {
    const many = Array.from({ length: 300 }, (_, index) => tool({ name: `t${index}` }));
    const { tools, warnings } = checkDefinitions([tool({}), tool({}), ...many], plain);
    expect(tools).toHaveLength(200);
    expect(warnings).toEqual([
      expect.stringContaining("at most 200"),
      expect.stringContaining("defined twice"),
    ]);
  });

  it("has time limits within bounds, and a schema of an object", () => {
    const of = (more: object) => checkDefinitions([tool(more)], plain).tools[0]!;
    expect(of({}).timeoutMs).toBe(60_000);
    expect(of({ timeoutMs: 1e9 }).timeoutMs).toBe(600_000);
    expect(of({ timeoutMs: -1 }).timeoutMs).toBe(60_000);
    expect(of({ inputSchema: { properties: {} } }).inputSchema).toEqual({ type: "object", properties: {} });
    expect(of({ inputSchema: { type: "string" } })).toMatchObject({
      inputSchema: { type: "object" },
      warning: expect.stringContaining("accepts any object"),
    });
  });

  it("is believed where it tightens, and from trusted plugins where it loosens", () => {
    const [said] = checkDefinitions(
      [tool({ flags: { readOnly: true, concurrencySafe: true } })],
      plain,
    ).tools;
    expect(getEffectiveFlags(said!.flags, false)).toEqual({
      readOnly: false,
      concurrencySafe: false,
      destructive: false,
    });
    expect(getEffectiveFlags(said!.flags, true)).toEqual({
      readOnly: true,
      concurrencySafe: true,
      destructive: false,
    });
    const [both] = checkDefinitions([tool({ flags: { readOnly: true, destructive: true } })], plain).tools;
    expect(getEffectiveFlags(both!.flags, true)).toEqual({
      readOnly: false,
      concurrencySafe: false,
      destructive: true,
    });
  });
});

describe("names", () => {
  it("of tools fit everywhere", () => {
    expect(buildToolName("my-plugin", "Do.It", 0)).toBe("plugin_my_plugin_do_it");
    expect(buildToolName("p", "t".repeat(64), 0)).toHaveLength(64);
    expect(buildToolName("p", "t", 1)).not.toBe(buildToolName("p", "t", 2));
  });

  it.each([
    ["toolkeep-plugin-weather", "weather"],
    ["@scope/toolkeep-weather", "weather"],
    ["@scope/My.Weather", "my-weather"],
    ["toolkeep-plugin-", "plugin-"],
  ])("of plugins follow from their package: %s is %s", (packageName, name) => {
    expect(deriveName(packageName)).toBe(name);
  });
});
