import { describe, expect, it } from "vitest";
import { STRICTNESS } from "../../../src/call/rules/compiled-rule.ts";
import { Rules } from "../../../src/call/rules/rules.ts";
import type { Rule } from "../../../src/machine/config/settings.ts";
import { Dice } from "../../support/dice.ts";

const tool = { name: "mcp_github_create_issue", origin: "mcp:github", ownName: "create_issue" };

const decide = (...rules: [permission: string, action: Rule["action"], from?: Rule["from"]][]) =>
  new Rules(rules.map(([permission, action, from = "user"]) => ({ permission, action, from }))).decide(tool)
    .action;

describe("rules", () => {
  it("allow what no rule mentions", () => {
    expect(decide()).toBe("allow");
    expect(decide(["mcp:gitlab:*", "deny"])).toBe("allow");
  });

  it.each([
    ["mcp_github_create_issue"],
    ["mcp:github:create_issue"],
    ["mcp:github:*"],
    ["mcp:*:create_*"],
    ["*_issue"],
    ["*"],
  ])("match by name and by permission: %s", (permission) => {
    expect(decide([permission, "deny"])).toBe("deny");
  });

  it.each([["mcp:github"], ["create_issue"], ["mcp:*:create"], ["mcp:github:*x*"]])(
    "do not match a mere part: %s",
    (permission) => {
      expect(decide([permission, "deny"])).toBe("allow");
    },
  );

  it("let the more specific win, in any order", () => {
    expect(decide(["*", "deny"], ["mcp:github:*", "allow"])).toBe("allow");
    expect(decide(["mcp:github:*", "allow"], ["*", "deny"])).toBe("allow");
    expect(decide(["mcp:github:*", "allow"], ["mcp:github:create_issue", "ask"])).toBe("ask");
  });

  it("take the stricter of equally specific ones", () => {
    expect(decide(["mcp:github:*", "allow"], ["mcp:github:*", "deny"])).toBe("deny");
  });

  it("of a project may only tighten", () => {
    expect(decide(["mcp:github:*", "deny"], ["mcp:github:create_issue", "ask", "project"])).toBe("deny");
    expect(decide(["mcp:github:create_issue", "ask"], ["*", "deny", "project"])).toBe("deny");
    expect(decide(["mcp:github:create_issue", "ask"], ["mcp:github:create_issue", "allow", "project"])).toBe(
      "ask",
    );
  });

  it("name the rule that decided", () => {
    const rules = new Rules([{ permission: "mcp:github:*", action: "deny", from: "user" }]);
    expect(rules.decide(tool).rule).toBe("user: mcp:github:* → deny");
  });
});

const CAPABLE = {
  ...tool,
  capabilities: ["net", "fs.write"],
  flags: { readOnly: false, concurrencySafe: false, destructive: true },
} as const;

type TestRule = Omit<Rule, "from"> & { readonly from?: Rule["from"] };
const rulesOf = (...rules: TestRule[]) => new Rules(rules.map((rule) => ({ from: "user", ...rule })));
const actionFor = (args: Record<string, unknown>, ...rules: TestRule[]) =>
  rulesOf(...rules).decide(CAPABLE, { args }).action;
const at = (url: string) => ({ url });

describe("the order of rules", () => {
  const name = "mcp_github_create_issue";
  it.each<[string, Rule["action"], TestRule[]]>([
    [
      "a name before more literal characters",
      "allow",
      [rule(name, "allow"), rule("mcp_github_create_issu*", "deny")],
    ],
    ["more literal characters before fewer", "deny", [rule("mcp:g*", "allow"), rule("mcp:gi*", "deny")]],
    ["few literal characters before a capability", "allow", [rule("m*", "allow"), rule("net", "deny")]],
    [
      "a capability before everything",
      "allow",
      [rule("net", "allow"), rule("fs.write", "allow"), rule("destructive", "allow"), rule("*", "deny")],
    ],
    ["destructive before everything", "ask", [rule("destructive", "ask"), rule("*", "allow")]],
    [
      "the permission before the pattern",
      "allow",
      [rule(name, "allow"), { ...rule("mcp:*", "deny"), pattern: "a.example" }],
    ],
    ["a pattern before none", "deny", [rule(name, "allow"), { ...rule(name, "deny"), pattern: "*.example" }]],
    [
      "a longer pattern before a shorter",
      "allow",
      [
        { ...rule(name, "allow"), pattern: "a.ex*" },
        { ...rule(name, "deny"), pattern: "a.*" },
      ],
    ],
    [
      "an exact pattern before a glob",
      "allow",
      [
        { ...rule(name, "allow"), pattern: "a.example" },
        { ...rule(name, "deny"), pattern: "*a.example*" },
      ],
    ],
    [
      "the pattern before the scope",
      "deny",
      [{ ...rule(name, "deny"), pattern: "*.example" }, rule(name, "allow", "session")],
    ],
    ["a session before an agent", "allow", [rule(name, "allow", "session"), rule(name, "deny", "agent")]],
    ["an agent before a user", "allow", [rule(name, "allow", "agent"), rule(name, "deny", "user")]],
    ["a user before the defaults", "allow", [rule(name, "allow", "user"), rule(name, "deny", "default")]],
    ["the stricter of equals", "ask", [rule(name, "allow"), rule(name, "ask")]],
    [
      "a final deny before all",
      "deny",
      [{ ...rule("*", "deny", "default"), final: true }, rule(name, "allow", "session")],
    ],
    [
      "a rule about a label before one about none",
      "ask",
      [{ ...rule(name, "ask"), after: "seen" }, rule(name, "allow")],
    ],
  ])("puts %s", (_, action, rules) => {
    const labels = new Set(["seen"]);
    for (const order of [rules, rules.toReversed()])
      expect(rulesOf(...order).decide(CAPABLE, { args: at("https://a.example/"), labels }).action).toBe(
        action,
      );
  });

  it("asks leave for everything that a tool can do", () => {
    const hosts = { ...rule("net", "allow"), pattern: { host: "a.example" } };
    expect(actionFor(at("https://a.example/"), hosts)).toBe("allow");
    expect(actionFor(at("https://a.example/"), hosts, rule("fs.write", "ask"))).toBe("ask");
    expect(actionFor(at("https://a.example/"), hosts, rule("net", "deny"))).toBe("allow");
    expect(actionFor(at("https://b.example/"), hosts, rule("net", "deny"))).toBe("deny");
    expect(actionFor({}, rule("net", "allow"), rule("destructive", "ask", "default"))).toBe("ask");
    expect(actionFor({}, rule("shell", "deny"))).toBe("allow");
  });

  it("lets a rule for everything decide what a tool can do and no rule speaks of", () => {
    const rules = [rule("*", "deny"), rule("net", "allow")];
    expect(actionFor({}, ...rules)).toBe("deny");
    expect(actionFor({}, ...rules, rule("fs.write", "allow"))).toBe("deny");
    expect(actionFor({}, ...rules, rule("fs.write", "allow"), rule("destructive", "ask"))).toBe("ask");
    expect(rulesOf(...rules).isHidden(CAPABLE)).toBe(true);
    expect(rulesOf(...rules).decide({ ...tool, capabilities: ["net"] }).action).toBe("allow");
  });

  it("loosens by no default what a person says of everything", () => {
    const defaults = [rule("destructive", "ask", "default"), rule("net", "ask", "default")];
    expect(actionFor({}, ...defaults, rule("*", "deny"))).toBe("deny");
    expect(rulesOf(...defaults, rule("*", "deny")).isHidden(CAPABLE)).toBe(true);
    expect(actionFor({}, ...defaults, rule("*", "allow"))).toBe("ask");
    const onlyDefaults = rulesOf(rule("*", "deny", "default"), rule("net", "allow", "default"));
    expect(onlyDefaults.decide({ ...tool, capabilities: ["net"] }).action).toBe("allow");
  });

  it("lets the answer to an approval turn an ask into an allow, and nothing else", () => {
    const answer: TestRule = { ...rule(name, "allow", "session"), isAnswer: true };
    const onA = (...rules: TestRule[]) => actionFor(at("https://a.example/"), answer, ...rules);
    expect(onA(rule("net", "ask"))).toBe("allow");
    expect(onA(rule(name, "ask", "project"))).toBe("allow");
    expect(onA(rule("net", "ask"), { ...rule("net", "deny"), pattern: { host: "a.example" } })).toBe("deny");
    expect(onA(rule("net", "deny"), rule("destructive", "ask"))).toBe("deny");
    expect(onA(rule("*", "deny", "project"))).toBe("deny");
    expect(rulesOf(answer, rule("net", "deny")).isHidden(CAPABLE)).toBe(true);
  });

  it("lets no answer to an approval stand against a rule about a label that the conversation has", () => {
    const answer: TestRule = { ...rule(name, "allow", "session"), isAnswer: true };
    const flow = { ...rule("net", "ask"), after: "seen" };
    const rules = rulesOf(answer, flow, { ...rule("fs.write", "ask"), pattern: "*" }, rule("net", "ask"));
    expect(rules.decide(CAPABLE).action).toBe("allow");
    expect(rules.decide(CAPABLE, { labels: new Set(["seen"]) }).action).toBe("ask");
  });

  it("lets an agent or a session stand against a project, where it is more specific, and nobody else", () => {
    const project = rule("mcp:github:*", "ask", "project");
    expect(actionFor({}, project, rule(name, "allow", "session"))).toBe("allow");
    expect(actionFor({}, project, rule("mcp:github:*", "allow", "agent"))).toBe("allow");
    expect(actionFor({}, project, rule("mcp:*", "allow", "session"))).toBe("ask");
    expect(actionFor({}, project, rule(name, "allow", "user"))).toBe("ask");
    expect(actionFor({}, project, rule("*", "deny"))).toBe("deny");
  });

  it("knows a rule about a label only after it", () => {
    const flow = { ...rule("net", "ask"), after: "untrusted_content" };
    expect(actionFor({}, flow)).toBe("allow");
    expect(rulesOf(flow).decide(CAPABLE, { labels: new Set(["untrusted_content"]) })).toEqual({
      action: "ask",
      rule: "user: net after untrusted_content → ask",
      labels: ["untrusted_content"],
    });
  });
});

describe("a tool is hidden", () => {
  const isHidden = (...rules: TestRule[]) => rulesOf(...rules).isHidden(CAPABLE);

  it.each<[string, boolean, TestRule[]]>([
    ["by a deny of every call", true, [rule("net", "deny")]],
    [
      "by a final deny, whatever else is allowed",
      true,
      [{ ...rule("*", "deny"), final: true }, rule("mcp:github:*", "allow")],
    ],
    [
      "by a deny that only conditional denies go before",
      true,
      [rule("*", "deny"), { ...rule("mcp:*", "deny"), pattern: "a" }],
    ],
    ["not by a deny of some calls", false, [{ ...rule("net", "deny"), pattern: { host: "a" } }]],
    ["not by a deny after a label", false, [{ ...rule("net", "deny"), after: "seen" }]],
    [
      "not by a deny that some calls are excepted from",
      false,
      [rule("net", "deny"), { ...rule("net", "allow"), pattern: { host: "a" } }],
    ],
    ["not by a deny that an allow goes before", false, [rule("*", "deny"), rule("mcp:github:*", "allow")]],
    ["not by a rule that asks", false, [rule("*", "ask")]],
  ])("%s", (_, expected, rules) => {
    expect(isHidden(...rules)).toBe(expected);
    if (expected) expect(rulesOf(...rules).decide(CAPABLE).action).toBe("deny");
  });
});

describe("any set of rules", () => {
  it("allows no call more because of one more deny, and hides no tool of which a call might run", () => {
    const dice = new Dice(7);
    for (let round = 0; round < 3_000; round++) {
      const rules = Array.from({ length: dice.below(6) }, () => randomRule(dice));
      const deny = { ...randomRule(dice), action: "deny" as const };
      const call = {
        args: dice.one<Record<string, unknown>>([{}, at("https://a.example/x"), at("https://b.example/")]),
        labels: new Set(dice.one([[], ["seen"]])),
      };
      const before = new Rules(rules);
      const after = new Rules([...rules, deny]);
      const [loose, strict] = [before.decide(CAPABLE, call).action, after.decide(CAPABLE, call).action];
      const isHidden = before.isHidden(CAPABLE);
      const isRight =
        STRICTNESS[strict] >= STRICTNESS[loose] &&
        (!isHidden || (loose === "deny" && after.isHidden(CAPABLE)));
      if (!isRight) expect({ rules, deny, ...call, loose, strict, isHidden }).toBe("right");
    }
  });
});

function rule(permission: string, action: Rule["action"], from: Rule["from"] = "user"): Rule {
  return { permission, action, from };
}

function randomRule(dice: Dice): Rule {
  const action = dice.one(["allow", "ask", "deny"] as const);
  const pattern = dice.one([undefined, "a.*", "*.example", { host: "!a.example" }, { "arg.url": "*x" }]);
  return {
    permission: dice.one([
      "*",
      "net",
      "fs.write",
      "destructive",
      "mcp:*",
      "mcp:github:*",
      tool.name,
      "other",
    ]),
    action,
    from: dice.one(["default", "user", "project", "agent", "session"] as const),
    ...(pattern !== undefined && { pattern }),
    ...(action === "deny" && dice.below(8) === 0 && { final: true }),
    ...(dice.below(5) === 0 && { after: "seen" }),
    ...(action === "allow" && dice.below(4) === 0 && { isAnswer: true as const }),
  };
}
