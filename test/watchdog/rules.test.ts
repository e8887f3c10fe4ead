import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/config/settings.ts";
import { Rules } from "../../src/watchdog/rules.ts";

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
