import { describe, expect, it } from "vitest";
import { shortenStderr, toResult } from "../../../src/features/custom-tools/script-answer.ts";
import type { CommandResult } from "../../../src/machine/process/run-command.ts";

const ran = (output: string, more: Partial<CommandResult> = {}): CommandResult => ({
  reason: "ended",
  code: 0,
  signal: null,
  output,
  outputBytes: output.length,
  isCut: false,
  errors: "",
  ...more,
});

describe("the answer of a script", () => {
  it("is the text that it printed", () => {
    for (const output of ["two words\n", "[1, 2]", "{ no json", "42", '"text"'])
      expect(toResult(ran(output), false)).toEqual({
        kind: "output",
        content: [{ type: "text", text: output }],
      });
    expect(toResult(ran(" \n"), false)).toMatchObject({ content: [{ text: "(no output)" }] });
  });

  it("is a structured one where it printed a JSON object", () => {
    const output = ' {"n": 1}\n';
    expect(toResult(ran(output), true)).toEqual({
      kind: "output",
      content: [{ type: "text", text: output }],
      structured: { n: 1 },
    });
    expect(toResult(ran('{"content": "plain"}'), false)).toMatchObject({ structured: { content: "plain" } });
  });

  it("may be a result as MCP has it, an error too", () => {
    const content = [{ type: "image", data: "AA==", mimeType: "image/png" }];
    expect(toResult(ran(JSON.stringify({ content, structuredContent: { n: 1 } })), true)).toEqual({
      kind: "output",
      content,
      structured: { n: 1 },
    });
    const wrong = { content: [{ type: "text", text: "no such city" }], isError: true };
    expect(toResult(ran(JSON.stringify(wrong)), false)).toEqual({
      kind: "failed",
      message: "no such city",
      content: wrong.content,
    });
    expect(toResult(ran('{"content": [], "isError": true}'), false)).toMatchObject({
      message: "The script reported a failure.",
    });
  });

  it("that was promised as an object and is none is a failure that says why", () => {
    expect(toResult(ran("{"), true)).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("printed no JSON object"),
    });
    expect(toResult(ran("{…", { isCut: true, outputBytes: 5_000 }), true)).toMatchObject({
      message: expect.stringContaining("printed 5000 bytes, more than its max_output_bytes"),
    });
  });

  it("is never read from an output that was cut", () => {
    expect(toResult(ran('{"n": 1}', { isCut: true }), false)).not.toHaveProperty("structured");
  });

  it("that ends with an exit code other than 0 is a failure with both outputs, the errors first", () => {
    const failed = toResult(ran("half", { code: 3, errors: "bad\n" }), false);
    expect(failed).toEqual({
      kind: "failed",
      message: "The script ended with exit code 3.",
      content: [
        { type: "text", text: "The script ended with exit code 3." },
        { type: "text", text: "standard error:\nbad" },
        { type: "text", text: "standard output:\nhalf" },
      ],
    });
    expect(toResult(ran('{"n": 1}', { code: 1 }), false).kind).toBe("failed");
  });

  it("names what ended a script that was stopped, or that it never began", () => {
    const message = (more: Partial<CommandResult>) => {
      const answer = toResult(ran("", { code: null, ...more }), false);
      return "message" in answer ? answer.message : "";
    };
    expect(message({ signal: "SIGSEGV" })).toBe("The script was ended by SIGSEGV.");
    expect(message({ reason: "cancelled", signal: "SIGTERM" })).toBe("The script was stopped.");
    expect(message({ reason: "flooded", signal: "SIGTERM" })).toContain("more than 64 MiB");
    expect(message({})).toContain("could not be started");
  });

  it("shows the end of a long standard error, where the reason is", () => {
    expect(shortenStderr("short")).toBe("short");
    const tail = shortenStderr(`${"x".repeat(10_000)}the reason`);
    expect(tail).toMatch(/^\[…\]\nx+the reason$/);
    expect(tail.length).toBeLessThan(4_100);
  });
});
