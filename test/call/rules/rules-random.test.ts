import { expect, it } from "vitest";
import { type RuledTool, STRICTNESS } from "../../../src/call/rules/compiled-rule.ts";
import { defaultRules } from "../../../src/call/rules/default-rules.ts";
import { Rules } from "../../../src/call/rules/rules.ts";
import type { Rule } from "../../../src/machine/config/settings.ts";
import { Dice } from "../../support/dice.ts";

const ROUNDS = 1_000;
const WRITES = { readOnly: false, concurrencySafe: false, destructive: true };
const READS = { readOnly: true, concurrencySafe: true, destructive: false };

const TOOLS: readonly RuledTool[] = [
  {
    ...{ name: "mcp_github_create_issue", origin: "mcp:github", ownName: "create_issue" },
    ...{ capabilities: ["net", "fs.write"], flags: WRITES, untrusted: true },
  },
  {
    ...{ name: "mcp_files_read", origin: "mcp:files", ownName: "read" },
    ...{ capabilities: ["fs.read"], flags: READS },
  },
  {
    ...{ name: "run_shell", origin: "native", ownName: "run_shell" },
    ...{ capabilities: ["shell"], flags: WRITES },
  },
  {
    ...{ name: "update_memory", origin: "native", ownName: "update_memory" },
    ...{ capabilities: [], flags: WRITES },
  },
];

const ARGUMENTS: readonly Record<string, unknown>[] = [
  {},
  { url: "https://a.example/x" },
  { url: "https://b.example/" },
  { path: "/etc/passwd" },
  { path: "notes/a.txt" },
  { command: "git status && curl https://a.example/" },
  { command: "rm -rf /" },
  { command: "$X status" },
  { command: "git $X" },
  { command: "bash build.sh" },
];

// The seed of a run that once failed; TEST_SEED sets another.
const seed = Number(process.env.TEST_SEED ?? 92_109);

it(`one more deny allows no call more, wherever it stands, and what is hidden never runs (TEST_SEED=${seed})`, () => {
  const dice = new Dice(seed);
  for (let round = 0; round < ROUNDS; round++) {
    const base = [...randomDefaults(dice), ...randomRules(dice, ["default", "user", "project"], 5)];
    const own = randomRules(dice, ["agent", "session"], 3);
    const deny = {
      ...randomRule(dice, ["default", "user", "project", "agent", "session"]),
      action: "deny" as const,
    };
    const isOwn = deny.from === "agent" || deny.from === "session";
    const tool = dice.one(TOOLS);
    const call = { args: dice.one(ARGUMENTS), labels: new Set(dice.one([[], ["seen"]])) };
    const loose = outcome(base, own, tool, call);
    const strict = outcome(isOwn ? base : [...base, deny], isOwn ? [...own, deny] : own, tool, call);
    const isRight =
      STRICTNESS[strict.action] >= STRICTNESS[loose.action] &&
      (!loose.isHidden || (loose.action === "deny" && strict.isHidden)) &&
      (!strict.isHidden || strict.action === "deny");
    if (!isRight) expect({ seed, round, base, own, deny, tool, call, loose, strict }).toBe("right");
  }
});

it(`a deny that is final denies every call of what it is about, whatever else is said (TEST_SEED=${seed})`, () => {
  const dice = new Dice(seed + 1);
  for (let round = 0; round < ROUNDS / 4; round++) {
    const tool = dice.one(TOOLS);
    const final: Rule = {
      permission: tool.name,
      action: "deny",
      final: true,
      from: dice.one(["default", "user"]),
    };
    const base = [...randomDefaults(dice), final, ...randomRules(dice, ["default", "user", "project"], 5)];
    const own = randomRules(dice, ["agent", "session"], 3);
    const call = { args: dice.one(ARGUMENTS), labels: new Set<string>() };
    const said = outcome(base, own, tool, call);
    if (said.action !== "deny" || !said.isHidden)
      expect({ seed, round, base, own, tool, said }).toBe("denied");
  }
});

interface Call {
  readonly args: Record<string, unknown>;
  readonly labels: ReadonlySet<string>;
}

function outcome(base: readonly Rule[], own: readonly Rule[], tool: RuledTool, call: Call) {
  const rules = new Rules(base);
  const more = own.length === 0 ? [] : [rules.compileExtra(own)];
  return { action: rules.decide(tool, call, more).action, isHidden: rules.isHidden(tool, more) };
}

function randomDefaults(dice: Dice): readonly Rule[] {
  const settings = {
    defaultRules: dice.chance(0.6),
    trust: { allowHosts: dice.one([[], ["a.example"], ["*.example"]]) },
  };
  return defaultRules(settings as never, { isSandboxed: dice.chance(0.5) });
}

function randomRules(dice: Dice, from: readonly Rule["from"][], most: number): readonly Rule[] {
  return Array.from({ length: dice.below(most + 1) }, () => randomRule(dice, from));
}

const PERMISSIONS = [
  ...["*", "net", "fs.write", "fs.read", "shell", "destructive"],
  ...["mcp:*", "mcp:github:*", "mcp:*:create_*", "run_*", "other"],
  ...TOOLS.map(({ name }) => name),
];
const PATTERNS = [
  ...["a.*", "*.example", "git *", "/etc/**"],
  ...["git push *", "rm *", { command: ["!git *"] }],
  ...[{ host: "!a.example" }, { "arg.url": "*x" }, { path: "/etc/**" }, { command: "git *" }],
];

function randomRule(dice: Dice, from: readonly Rule["from"][]): Rule {
  const action = dice.one(["allow", "ask", "deny"] as const);
  return {
    permission: dice.one(PERMISSIONS),
    action,
    from: dice.one(from),
    ...(dice.chance(0.5) && { pattern: dice.one(PATTERNS) }),
    ...(action === "deny" && dice.chance(0.1) && { final: true }),
    ...(dice.chance(0.2) && { after: "seen" }),
    ...(action === "allow" && dice.chance(0.25) && { isAnswer: true as const }),
    ...(dice.chance(0.1) && { only: "untrusted" as const }),
    ...(dice.chance(0.1) && { except: [dice.one(TOOLS).name] }),
    ...(dice.chance(0.1) && { unless: dice.one(PATTERNS) }),
  };
}
