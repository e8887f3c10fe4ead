import { describe, expect, it } from "vitest";
import { fields, table } from "../../../../src/lib/terminal/table.ts";

describe("a table", () => {
  it("aligns its columns and shows what is missing as a dash", () => {
    const rows = [
      ["fs", 14, null],
      ["a-longer-name", 3, "text"],
    ];
    expect(table(["NAME", "TOOLS", "NOTE"], rows, Number.POSITIVE_INFINITY)).toBe(
      ["NAME           TOOLS  NOTE", "fs             14     -", "a-longer-name  3      text", ""].join("\n"),
    );
  });

  it("is cut where the terminal ends", () => {
    expect(table(["NAME", "TEXT"], [["a", "x".repeat(50)]], 20).split("\n")[1]).toBe(
      `a     ${"x".repeat(13)}…`,
    );
  });

  it("lets no cell leave its line or reach the terminal's controls", () => {
    const text = table(["NAME"], [["one\ntwo \u001b[31mred\u0007 \u202egnp"]], 100);
    expect(text).toBe("NAME\none two [31mred gnp\n");
  });
});

describe("fields", () => {
  it("are aligned, without those that have no value", () => {
    const pairs = [
      ["name", "fs"],
      ["trusted", false],
      ["folder", null],
    ] as const;
    expect(fields(pairs)).toBe("name:    fs\ntrusted: no\n");
  });
});
