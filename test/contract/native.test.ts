import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestNative, testNative } from "../support/native.ts";

const FLOOR = [
  "read_file",
  "write_file",
  "edit_file",
  "multi_edit",
  "list_directory",
  "grep",
  "run_shell",
  "think",
  "task_todos",
  "attach_file",
  "notify",
  "prompt_human",
  "prompt_secret",
  "request_input",
  "report_to_parent",
  "update_task_status",
  "read_tool_output",
];

let t: TestNative;
beforeAll(async () => {
  t = await testNative();
});
afterAll(() => t[Symbol.asyncDispose]());

describe("the native tools", () => {
  it("are the whole core floor", () => {
    expect(t.native.name).toBe("native");
    expect(
      t
        .tools()
        .map((tool) => tool.name)
        .sort(),
    ).toEqual([...FLOOR].sort());
    for (const tool of t.tools()) {
      expect(tool).toMatchObject({ floor: true, wildcard: true, origin: "native", ownName: tool.name });
      expect(tool.status()).toEqual({ kind: "active" });
    }
  });

  it("have schemas that compile and take nothing unknown", () => {
    const ajv = new Ajv2020({ strict: true });
    for (const tool of t.tools()) {
      expect(() => ajv.compile(tool.inputSchema), tool.name).not.toThrow();
      expect(tool.inputSchema.additionalProperties, tool.name).toBe(false);
      expect(tool.description.length, tool.name).toBeGreaterThan(40);
    }
  });

  it("publish their flags as annotations", () => {
    const shell = t.native.tools().find((tool) => tool.name === "run_shell");
    expect(shell?.published).toEqual({
      annotations: {
        title: "Run a shell command",
        readOnlyHint: false,
        destructiveHint: true,
        openWorldHint: false,
      },
    });
  });

  it("with nobody to answer them are for sub-agents only", () => {
    const forSubAgents = t.tools().filter((tool) => tool.availability === "sub-agent");
    expect(forSubAgents.map((tool) => tool.name)).toEqual([
      "request_input",
      "report_to_parent",
      "update_task_status",
    ]);
  });

  it("never change", () => {
    expect(t.native.tools()).toBe(t.native.tools());
    expect(t.native.onChange(() => {})).toBeTypeOf("function");
  });
});
