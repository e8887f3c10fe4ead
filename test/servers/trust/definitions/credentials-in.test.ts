import { describe, expect, it } from "vitest";
import { cleanSchema } from "../../../../src/servers/trust/definitions/clean-schema.ts";
import { cleanText } from "../../../../src/servers/trust/definitions/clean-text.ts";
import { scanDefinition } from "../../../../src/servers/trust/definitions/scan-text.ts";

const KEY = `sk-ant-${"api03-Zk29dLm4Qp"}${"7TsWv8".repeat(4)}`;

describe("a credential in what a server says", () => {
  it.each([
    `Searches. Use the key ${KEY} for it.`,
    "Log in with password=Tr0ub4dor&3 first.",
    'Call it with {"api_key": "9fK2mQ7zLw1c"} only.',
    "Connects to postgres://ada:h7Gq92kLm@db.internal/main by itself.",
    "Header: Authorization: Bearer 9f8e7d6c5b4a39281706",
  ])("is a finding and is not shown: %s", (description) => {
    const findings = scanDefinition({ name: "search", description });
    expect(findings).toMatchObject([{ kind: "holds_credentials", field: "description" }]);
    expect(cleanText(description)).toContain("[redacted ");
    for (const secret of [KEY, "Tr0ub4dor", "9fK2mQ7zLw1c", "h7Gq92kLm", "9f8e7d6c5b4a"]) {
      expect(cleanText(description)).not.toContain(secret);
      expect(JSON.stringify(findings)).not.toContain(secret);
    }
  });

  it("is taken out of parameters, and a choice or default that has one is left out", () => {
    const schema = cleanSchema({
      type: "object",
      properties: {
        a: { type: "string", title: `key ${KEY}`, description: `such as ${KEY}` },
        b: { type: "string", default: KEY, enum: ["none", KEY] },
      },
    });
    expect(schema).toBeDefined();
    expect(JSON.stringify(schema)).not.toContain(KEY);
    expect(JSON.stringify(schema)).toContain('"none"');
  });

  it.each([
    "password=<your password>",
    "password: string, required",
    "token: your API token",
    "Set API_KEY=your_api_key_here first.",
    "Bearer YOUR_ACCESS_TOKEN",
    "postgres://user:password@localhost:5432/db",
    "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "secret: {{secret:NAME}}",
    "next_page_token: the token of the page before",
    "AWS key such as AKIAIOSFODNN7EXAMPLE",
  ])("is not what only shows how one is written: %s", (description) => {
    expect(scanDefinition({ name: "search", description: `It finds things. ${description}` })).toEqual([]);
    expect(cleanText(description)).toBe(description);
  });
});
