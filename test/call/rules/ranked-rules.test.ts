import { describe, expect, it } from "vitest";
import { NO_RULE, Rules } from "../../../src/call/rules/rules.ts";
import type { Rule, RulePattern } from "../../../src/machine/config/settings.ts";
import { Dice } from "../../support/dice.ts";

const flags = { readOnly: false, concurrencySafe: false, destructive: true };
const TOOLS = [
  { name: "write_file", origin: "native", ownName: "write_file", capabilities: ["fs.write"], flags },
  { name: "run_shell", origin: "native", ownName: "run_shell", capabilities: ["shell", "net"], flags },
  { name: "mcp_web_get", origin: "mcp:web", ownName: "get", capabilities: ["net"], untrusted: true },
  {
    name: "mcp_files_put",
    origin: "mcp:files",
    ownName: "put",
    capabilities: ["fs.write"],
    startsIn: "/srv/files",
    inputSchema: { type: "object", properties: { path: { type: "string" }, to: { type: "string" } } },
  },
] as const;

const FOLDERS = ["a", "notes", "src", ".ssh", "secret-1", "x y", "..", "."];
const NAMES = [".env", "id_rsa", "a.ts", "b.pem", "notes", "%2e%2e"];
const HOSTS = [
  "a.example",
  "api.a.example",
  "A.Example.",
  "b.test",
  "10.0.0.1",
  "ex ample",
  "[::1]",
  "näh.example",
];
const WORDS = [
  "git",
  "push",
  "rm",
  "-rf",
  "npm",
  "run",
  "sudo",
  "a.ts",
  "'x y'",
  "$(x)",
  "/usr/bin/git",
  "sh",
  "-c",
];

describe("the rules about a tool that are looked up by what they spell out", () => {
  it("decide every call as if each had been tried", () => {
    const dice = new Dice(11);
    for (let round = 0; round < 15; round++) {
      const rules = new Rules(
        Array.from({ length: 20 + dice.below(60) }, (_, id) => randomRule(dice, `r${id}`)),
      );
      const more = [
        rules.compileExtra(Array.from({ length: dice.below(40) }, (_, id) => randomRule(dice, `m${id}`))),
      ];
      for (let count = 0; count < 20; count++) {
        const tool = dice.one(TOOLS);
        const call = {
          args: randomArguments(dice),
          labels: new Set(dice.one([[], ["seen"]])),
          pathBase: () => ({ workspace: "/home/user/desk", userHome: "/home/user", startedIn: "/srv" }),
        };
        const { winner } = rules.matchAll(tool, call, more);
        const decided = rules.decide(tool, call, more);
        const isSame = winner ? decided.ruleId === winner.rule.id : decided === NO_RULE;
        if (!isSame) expect({ tool: tool.name, args: call.args, decided }).toEqual(winner?.rule);
      }
    }
  });

  it("are also found in calls that cannot be read", () => {
    const others = Array.from({ length: 50 }, (_, index) => about({ command: `t${index} *` }, "ask"));
    const rules = new Rules([...others, about({ command: "rm -rf *" }, "deny")]);
    const final = new Rules([...others, { ...about({ command: "rm -rf *" }, "deny"), final: true }]);
    const decide = (command: string) =>
      [rules, final].map((each) => each.decide(TOOLS[1], { args: { command } }).action);
    expect(decide("ls")).toEqual(["allow", "allow"]);
    expect(decide("cd / && rm -rf *")).toEqual(["deny", "deny"]);
    expect(decide("$(echo rm) -rf /")).toEqual(["ask", "deny"]);
    expect(decide(`echo ${"x".repeat(30_000)}; rm -rf /`)).toEqual(["ask", "deny"]);
    expect(decide("rm $OPTIONS /")).toEqual(["ask", "deny"]);
  });
});

function about(pattern: RulePattern, action: Rule["action"]): Rule {
  return { permission: "run_shell", pattern, action, from: "user" };
}

function randomRule(dice: Dice, id: string): Rule {
  const action = dice.one(["allow", "ask", "deny"] as const);
  return {
    id,
    permission: dice.one(["*", "net", "shell", "fs.write", "native:*", "mcp:*", "run_shell", "write_file"]),
    action,
    from: dice.one(["default", "user", "project", "agent", "session"] as const),
    ...(dice.below(10) > 0 && { pattern: randomPattern(dice) }),
    ...(dice.below(8) === 0 && { unless: randomPattern(dice) }),
    ...(action === "deny" && dice.below(20) === 0 && { final: true }),
    ...(dice.below(6) === 0 && { after: "seen" }),
    ...(action === "allow" && dice.below(4) === 0 && { isAnswer: true as const }),
  };
}

function randomPattern(dice: Dice): RulePattern {
  const several = (glob: () => string) =>
    Array.from({ length: 1 + dice.below(3) }, () => (dice.below(6) === 0 ? `!${glob()}` : glob()));
  const path = () => pathGlob(dice);
  const host = () => withStar(dice, dice.one(HOSTS).toLowerCase());
  const command = () => withStar(dice, commandLine(dice));
  return dice.one<() => RulePattern>([
    () => dice.one([path, host, command])(),
    () => ({ path: several(path) }),
    () => ({ host: several(host) }),
    () => ({ command: several(command) }),
    () => ({ path: path(), host: host() }),
    () => ({ "arg.to.name": withStar(dice, dice.one(NAMES)), path: several(path) }),
    () => ({ "arg.content": several(() => withStar(dice, dice.one(WORDS))) }),
  ])();
}

function pathGlob(dice: Dice): string {
  const parts = Array.from({ length: dice.below(4) }, () =>
    dice.one(["**", "*", dice.one(FOLDERS), withStar(dice, dice.one(FOLDERS))]),
  );
  const start = dice.one(["", "", "/", "~/", "**/", "/home/user/", "/home/user/desk/", "./"]);
  return `${start}${[...parts, dice.one(["**", "", withStar(dice, dice.one(NAMES))])].join("/")}` || "*";
}

/** With a `*` somewhere in it, or none. */
function withStar(dice: Dice, text: string): string {
  const [from, to] = [dice.below(text.length + 1), dice.below(text.length + 1)].toSorted((a, b) => a - b);
  return dice.one([
    text,
    `${text.slice(0, from)}*${text.slice(to)}`,
    `*${text.slice(from, to)}*`,
    `${text}*`,
  ]);
}

function commandLine(dice: Dice): string {
  const words = Array.from({ length: 1 + dice.below(4) }, () => dice.one(WORDS)).join(dice.one([" ", "  "]));
  return dice.below(4) === 0 ? `${words}${dice.one([" && ", ";", " | "])}${dice.one(WORDS)}` : words;
}

function randomArguments(dice: Dice): Record<string, unknown> {
  const path = () => {
    const folders = Array.from({ length: dice.below(4) }, () => dice.one(FOLDERS));
    const start = dice.one(["", "", "/", "~/", "/home/user/desk/", "file:///", "C:\\", " "]);
    return `${start}${[...folders, dice.one(NAMES)].join("/")}`;
  };
  const address = () =>
    `${dice.one(["https://", "", "git@", "http://u:p@"])}${dice.one(HOSTS)}${dice.one(["", "/x", ":80"])}`;
  const values: Record<string, unknown> = {
    path: dice.one([path(), [path(), path()], path(), 7]),
    url: address(),
    command: dice.one([commandLine(dice), `curl ${address()}`, [dice.one(WORDS), dice.one(WORDS)]]),
    to: dice.one([{ name: dice.one(NAMES) }, path()]),
    content: dice.one(WORDS),
  };
  return Object.fromEntries(Object.entries(values).filter(() => dice.below(2) === 0));
}
