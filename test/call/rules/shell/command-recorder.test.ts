import { expect, it } from "vitest";
import { Rules } from "../../../../src/call/rules/rules.ts";
import type { Rule } from "../../../../src/machine/config/settings.ts";
import { runRecorded } from "../../../support/command-recorder.ts";
import { ALL_DELETE_FORMS as EVERY_FORM } from "../../../support/delete-forms.ts";
import { Dice } from "../../../support/dice.ts";
import { atLength, sampleOf } from "../../../support/length.ts";
import { randomDelete } from "../../../support/random-commands.ts";
import { hasSandbox } from "../../../support/sandbox.ts";

// `COMMAND_ROUNDS=5000 npx vitest run test/call/rules/shell/command-recorder.test.ts` runs longer.
const ROUNDS = Number(process.env.COMMAND_ROUNDS ?? atLength(100, 20));
const ALL_DELETE_FORMS = sampleOf(EVERY_FORM, 60);
const seed = Number(process.env.TEST_SEED ?? 19_006);

const tool = { name: "it", origin: "native", ownName: "it", inputSchema: {} };
const about = (action: Rule["action"], command: string, final = false) =>
  new Rules([
    { permission: "it", action: action === "allow" ? "ask" : "allow", from: "user" },
    { permission: "it", pattern: { command }, action, from: "user", ...(final && { final }) },
  ]);
const plain = about("deny", "rm *");
const final = about("deny", "rm *", true);
const ALLOWED = [
  ...[
    "test *",
    "test -f *",
    "[ *",
    "[[ *",
    "printf *",
    "echo *",
    "git status *",
    "ls *",
    "read *",
    "declare *",
    "let *",
  ],
  ...[
    "env *",
    "sh *",
    "bash *",
    "find *",
    "cat *",
    "A=1 *",
    "X=*",
    "eval *",
    "trap *",
    "command *",
    "time *",
    "! *",
  ],
  ...[
    "ls; *",
    "ls && *",
    "echo * | *",
    "* | xargs *",
    'echo "it\'s"; *',
    "f() { *",
    "echo $(*)",
    "nice *",
    "timeout *",
  ],
].map((pattern) => ({ pattern, rules: about("allow", pattern) }));
/** The pattern itself says that something else follows. */
const MEANS_ANY = /[;&|({]/;

const canConfine = await hasSandbox();

it.runIf(canConfine)(
  `what a real bash runs is never missed by a deny, nor allowed by a rule about something else (TEST_SEED=${seed})`,
  async () => {
    const dice = new Dice(seed);
    const lines = [...ALL_DELETE_FORMS, ...Array.from({ length: ROUNDS }, () => randomDelete(dice))];
    const recorded = await runRecorded(lines);
    expect(recorded.length).toBe(lines.length);
    const wrong: string[] = [];
    let deletions = 0;
    for (const [index, command] of lines.entries()) {
      const deletes = recorded[index]!.some((call) => /^rm ./.test(call));
      if (!deletes && index < ALL_DELETE_FORMS.length)
        wrong.push(`does not delete: ${JSON.stringify(command)}`);
      if (!deletes) continue;
      deletions++;
      const call = { args: { command } };
      if (final.decide(tool, call).action !== "deny")
        wrong.push(`not finally denied: ${JSON.stringify(command)}`);
      if (plain.decide(tool, call).action === "allow") wrong.push(`not denied: ${JSON.stringify(command)}`);
      for (const { pattern, rules } of ALLOWED)
        if (!MEANS_ANY.test(pattern) && rules.decide(tool, call).action === "allow")
          wrong.push(`allowed by ${pattern}: ${JSON.stringify(command)}`);
    }
    expect(wrong).toEqual([]);
    // Otherwise the test proved nothing.
    expect(deletions).toBeGreaterThan(ALL_DELETE_FORMS.length + ROUNDS / 2);
  },
  120_000 + ROUNDS * 200,
);
