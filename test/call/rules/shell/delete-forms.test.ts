import { describe, expect, it } from "vitest";
import { Rules } from "../../../../src/call/rules/rules.ts";
import type { Rule } from "../../../../src/machine/config/settings.ts";
import { DELETE_FORMS } from "../../../support/delete-forms.ts";

const tool = { name: "it", origin: "native", ownName: "it", inputSchema: {} };

function decide(rule: Omit<Rule, "permission" | "from">, command: string) {
  const blanket: Rule = { permission: "it", action: rule.action === "allow" ? "ask" : "allow", from: "user" };
  const rules = new Rules([blanket, { permission: "it", from: "user", ...rule }]);
  return rules.decide(tool, { args: { command } }).action;
}

const ALLOWED = [
  "echo *",
  "ls *",
  "test *",
  "[ *",
  "[[ *",
  "printf *",
  "read *",
  "declare *",
  "let *",
  "env *",
];
const MORE = [
  "find *",
  "sh *",
  "bash *",
  "xargs *",
  "X=*",
  "trap *",
  "unset *",
  "timeout *",
  "cat *",
  "git *",
];

describe.each(Object.entries(DELETE_FORMS))("a command that deletes, %s", (_, forms) => {
  it.each(forms)("%j is denied or asked about by a deny of rm", (command) => {
    const pattern = { command: "rm *" };
    expect(["deny", "ask"]).toContain(decide({ action: "deny", pattern }, command));
    expect(decide({ action: "deny", final: true, pattern }, command)).toBe("deny");
    expect(decide({ action: "ask", pattern }, command)).toBe("ask");
  });

  it.each(forms)("%j is allowed by no rule about something else", (command) => {
    const allowed = [...ALLOWED, ...MORE].filter(
      (pattern) => decide({ action: "allow", pattern: { command: pattern } }, command) === "allow",
    );
    expect(allowed).toEqual([]);
  });
});
