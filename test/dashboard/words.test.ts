import { describe, expect, it } from "vitest";
import { entryInWords } from "../../dashboard/src/pages/access/entry-words.ts";
import { ruleOfText } from "../../dashboard/src/pages/rules/rule-text.ts";
import { ruleView } from "../../src/api/rule-view.ts";
import { testHub } from "../support/test-hub.ts";

describe("the words of the dashboard", () => {
  it.each([
    ["*", "everything that comes with Toolkeep, and your scripts"],
    ["mcp:github:*", "all tools of github"],
    ["mcp:*:*", "all tools of all servers"],
    ["mcp:github:list_*", "tools of github with such names"],
    ["mcp:github:merge", "one tool of github"],
    ["plugin:maps:*", "all tools of the plugin maps"],
    ["read_file", ""],
  ])("say of %s what it stands for", (entry, words) => {
    expect(entryInWords(entry)).toBe(words);
  });

  it("find the rule that the audit names, whatever it says and wherever it comes from", async () => {
    await using tested = await testHub({
      settings: { default_rules: true },
      rules: [
        { permission: "read_file", action: "deny", final: true },
        { permission: "write_file", action: "ask", pattern: { path: ["/srv/**", "/etc/*"] } },
        { permission: "net", action: "ask", pattern: "*.example.com", after: "untrusted" },
      ],
    });
    const compiled = tested.hub.watchdog.decider.rules.all;
    const views = compiled.map(({ rule }) => ruleView(tested.hub, rule));
    expect(compiled.length).toBeGreaterThan(3);
    for (const [at, { text }] of compiled.entries()) expect(ruleOfText(views, text)).toBe(views[at]);
  });
});
