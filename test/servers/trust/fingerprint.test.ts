import { expect, test } from "vitest";
import { computeFingerprint } from "../../../src/servers/trust/fingerprint.ts";

test("everything that is passed on or decides how it is used is part of what is accepted", () => {
  const definition = { name: "add" };
  for (const kind of ["tool", "prompt", "resource_template"] as const) {
    const fields = [
      "title",
      "description",
      "icons",
      "_meta",
      ...(kind === "tool" ? ["execution", "annotations"] : []),
    ];
    for (const field of fields)
      expect(computeFingerprint(kind, { ...definition, [field]: ["x"] }), `${kind} ${field}`).not.toBe(
        computeFingerprint(kind, definition),
      );
  }
});

test("the order of fields and what nobody knows make no difference", () => {
  const schema = { type: "object", required: ["a"] };
  expect(computeFingerprint("tool", { name: "add", inputSchema: schema, unknown: 1 })).toBe(
    computeFingerprint("tool", { inputSchema: { required: ["a"], type: "object" }, name: "add" }),
  );
});
