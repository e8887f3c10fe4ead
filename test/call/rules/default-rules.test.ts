import { expect, it } from "vitest";
import { defaultRules } from "../../../src/call/rules/default-rules.ts";
import { Rules } from "../../../src/call/rules/rules.ts";
import type { Tool } from "../../../src/contract/tool.ts";
import type { Rule } from "../../../src/machine/config/settings.ts";
import { testTool } from "../../support/tools.ts";

const HARMLESS = { readOnly: false, concurrencySafe: false, destructive: false };

function decideBy(tool: Partial<Tool>, args: Record<string, unknown> = {}, more: Partial<Settings> = {}) {
  const { isOn = true, allowHosts = [], isSandboxed = false, rules = [] } = more;
  const defaults = defaultRules({ defaultRules: isOn, trust: { allowHosts } }, { isSandboxed });
  return new Rules([...defaults, ...rules]).decide(testTool({ name: "it", origin: "mcp:one", ...tool }), {
    args,
  }).action;
}

interface Settings {
  readonly isOn: boolean;
  readonly allowHosts: readonly string[];
  readonly isSandboxed: boolean;
  readonly rules: readonly Rule[];
}

it("asks before what may destroy something, whoever offers it", () => {
  const destructive = { flags: { ...HARMLESS, destructive: true } };
  expect(decideBy(destructive)).toBe("ask");
  expect(decideBy(destructive, {}, { isOn: false })).toBe("allow");
  expect(decideBy({})).toBe("allow");
  expect(decideBy(destructive, {}, { rules: [{ permission: "*", action: "allow", from: "user" }] })).toBe(
    "ask",
  );
  for (const permission of ["destructive", "mcp:one:*", "it"])
    expect(decideBy(destructive, {}, { rules: [{ permission, action: "allow", from: "user" }] })).toBe(
      "allow",
    );
});

it("asks before an untrusted server writes files, reaches the network or runs programs", () => {
  for (const capability of ["fs.write", "net", "shell"] as const)
    expect(decideBy({ untrusted: true, capabilities: [capability] })).toBe("ask");
  for (const capability of ["fs.write", "net"] as const)
    expect(decideBy({ untrusted: false, capabilities: [capability] })).toBe("allow");
  expect(decideBy({ untrusted: true, capabilities: ["fs.read"] })).toBe("allow");
});

it("lets untrusted servers reach hosts of the allow-list, where every host of a call is on it", () => {
  const net = { untrusted: true, capabilities: ["net"] } as const;
  const allowHosts = ["*.acme.example"];
  expect(decideBy(net, { url: "https://api.acme.example/" }, { allowHosts })).toBe("allow");
  expect(decideBy(net, { urls: ["https://api.acme.example", "https://b.example"] }, { allowHosts })).toBe(
    "ask",
  );
  expect(decideBy(net, {}, { allowHosts })).toBe("ask");
  expect(
    decideBy(
      { ...net, capabilities: ["net", "fs.write"] },
      { url: "https://a.acme.example" },
      { allowHosts },
    ),
  ).toBe("ask");
});

it("asks before a command that nothing confines, and before every one of untrusted servers", () => {
  const shell = { capabilities: ["shell"] } as const;
  expect(decideBy(shell)).toBe("ask");
  expect(decideBy(shell, {}, { isSandboxed: true })).toBe("allow");
  expect(decideBy({ ...shell, untrusted: true }, {}, { isSandboxed: true })).toBe("ask");
});

it("does not ask about what an agent remembers, nor about a shell that is confined", () => {
  const native = { origin: "native", flags: { ...HARMLESS, destructive: true } };
  for (const name of ["update_memory", "forget"]) expect(decideBy({ ...native, name })).toBe("allow");
  const shell = { ...native, name: "run_shell", capabilities: ["shell"] } as const;
  expect(decideBy(shell)).toBe("ask");
  expect(decideBy(shell, {}, { isSandboxed: true })).toBe("allow");
  const deny: Rule = { permission: "destructive", action: "deny", from: "user" };
  expect(decideBy(shell, {}, { isSandboxed: true, rules: [deny] })).toBe("deny");
});
