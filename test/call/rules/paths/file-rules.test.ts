import { describe, expect, it } from "vitest";
import type { RuledTool } from "../../../../src/call/rules/compiled-rule.ts";
import { Rules } from "../../../../src/call/rules/rules.ts";
import type { Rule } from "../../../../src/machine/config/settings.ts";
import { Dice } from "../../../support/dice.ts";
import { atLength } from "../../../support/length.ts";

const SEED = Number(process.env.TEST_SEED ?? 1_907);
const NAMES = ["private", "src", ".env", "a.ts", "pub", "deep"];
const GREP: RuledTool = {
  ...{ name: "grep", origin: "native", ownName: "grep", capabilities: ["fs.read"] },
  inputSchema: { type: "object", properties: { path: { type: "string" }, pattern: { type: "string" } } },
};
const pathBase = () => ({ workspace: "/ws", userHome: "/home/ada" });

function randomGlob(dice: Dice): string {
  const parts = Array.from({ length: 1 + dice.below(3) }, () =>
    dice.one(["**", "*", "*.ts", dice.one(NAMES), dice.one(NAMES), dice.one(NAMES)]),
  );
  return `${dice.one(["", "", "/ws/", "**/", "/"])}${parts.join("/")}${dice.one(["", "/**", "/"])}`;
}

function randomRule(dice: Dice): Rule {
  const action = dice.one(["allow", "ask", "deny"] as const);
  const path = dice.chance(0.2) ? [randomGlob(dice), `!${randomGlob(dice)}`] : randomGlob(dice);
  return {
    permission: dice.one(["grep", "native:*", "fs.read", "fs.read", "*"]),
    pattern: dice.one([{ path }, { path }, { path, "arg.pattern": "x*" }, randomGlob(dice)]),
    ...{ action, from: dice.one(["user", "user", "project", "default"] as const) },
    ...(action === "deny" && dice.chance(0.4) && { final: true as const }),
  };
}

describe(`files of a walk (TEST_SEED=${SEED})`, () => {
  it("are decided as the same call that names them, and no folder is left out that holds one to show", () => {
    const dice = new Dice(SEED);
    const seen = { shown: 0, leftOut: 0, whole: 0 };
    for (let round = 0; round < atLength(2_000, 400); round++) {
      const rules = new Rules(
        Array.from({ length: 1 + dice.below(10) }, () => randomRule(dice)),
        { userHome: "/home/ada" },
      );
      const args = { pattern: "x" };
      const files = rules.files(GREP, { args, pathBase }, [], false);
      for (let made = 0; made < 5; made++) {
        const folders = Array.from({ length: 1 + dice.below(3) }, () => dice.one(NAMES));
        const folder = folders.join("/");
        const path = `${folder}/${dice.one(NAMES)}`;
        const isShown = files.permits([`/ws/${path}`]);
        const call = { args: { ...args, path }, pathBase };
        expect([path, isShown]).toEqual([path, rules.decide(GREP, call).action === "allow"]);
        const isWhole = files.deniesAllBelow([`/ws/${folder}`]);
        if (isWhole) expect([path, rules.decide(GREP, call).action]).toEqual([path, "deny"]);
        seen[isShown ? "shown" : "leftOut"]++;
        if (isWhole) seen.whole++;
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(200);
  });

  it("need no further yes where an ask was about the whole call", () => {
    const all: Rule = { permission: "fs.read", action: "ask", from: "user" };
    const some: Rule = { ...all, pattern: { path: "private/**" } };
    const args = { path: "private" };
    const permits = (rule: Rule, isOperator = false) =>
      new Rules([rule]).files(GREP, { args: rule === all ? {} : { path: "." }, pathBase }, [], isOperator);
    expect(permits(all).permits(["/ws/private/x"])).toBe(true);
    expect(permits(some).permits(["/ws/private/x"])).toBe(false);
    expect(permits(some, true).permits(["/ws/private/x"])).toBe(true);
    expect(new Rules([some]).files(GREP, { args, pathBase }, [], false).permits(["/ws/private/x"])).toBe(
      true,
    );
  });

  it("of a tool that says nothing of files are files that it reads", () => {
    const search: RuledTool = { name: "search", origin: "native", ownName: "search" };
    const deny: Rule = {
      permission: "fs.read",
      pattern: { path: "/srv/hr/**" },
      action: "deny",
      from: "user",
    };
    const files = new Rules([deny]).files(search, { args: { query: "x" }, pathBase }, [], false);
    expect(files.permits(["/srv/hr/a"])).toBe(false);
    expect(files.permits(["/srv/docs/a"])).toBe(true);
    expect(files.permits(["/srv/docs/a"], ["/srv/hr/a"])).toBe(false);
  });
});
