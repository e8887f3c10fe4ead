import { describe, expect, it } from "vitest";
import { narrowerRules } from "../../../../src/call/rules/review/narrower-rules.ts";
import { testHub } from "../../../support/test-hub.ts";

describe("the rules that an always could write", () => {
  it("are for every call, or for the path, host or command, else for the same arguments", async () => {
    await using tested = await testHub({
      agents: { main: ["*"] },
      rules: [{ permission: "*", action: "ask" }],
    });
    const { decider } = tested.hub.watchdog;
    const patterns = (name: string, args: Record<string, unknown>) => {
      const tool = tested.hub.catalog.all().find((each) => each.name === name)!;
      return narrowerRules(decider, tool, tested.caller("main"), args).map(({ pattern }) => pattern);
    };
    const every = undefined;
    expect(patterns("think", { thought: "one" })).toEqual([every, { "arg.thought": "one" }]);
    expect(patterns("write_file", { path: "/srv/a.txt", content: "x" })).toEqual([
      every,
      { path: "/srv/**" },
      { path: "/srv/a.txt" },
    ]);
    // What a glob would read otherwise, what was left out, and what no call says twice.
    for (const thought of ["a*", "!a", "[a]", "", "[redacted] is here", "long ".repeat(50), { a: 1 }, null])
      expect(patterns("think", { thought }), JSON.stringify(thought)).toEqual([every]);
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`a${at}`, at]));
    expect(patterns("think", many)).toEqual([every]);
  });
});
