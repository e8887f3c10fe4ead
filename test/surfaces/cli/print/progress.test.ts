import { describe, expect, it } from "vitest";
import { withProgress } from "../../../../src/surfaces/cli/print/progress.ts";
import type { Terminal } from "../../../../src/surfaces/cli/terminal.ts";

describe("progress", () => {
  it("says nothing about what is quick", async () => {
    const { terminal, written } = recording(false);
    expect(await withProgress(terminal, "counting", Promise.resolve(3))).toBe(3);
    expect(written()).toBe("");
  });

  it("is one plain line where no person watches", async () => {
    const { terminal, written } = recording(false);
    await withProgress(terminal, "counting", later(2_300));
    expect(written()).toBe("counting …\n");
  });

  it("is a running clock for a person, wiped at the end, also of a failure", async () => {
    const { terminal, written } = recording(true);
    const work = later(350).then(() => Promise.reject(new Error("no")));
    await expect(withProgress(terminal, "counting", work)).rejects.toThrow("no");
    expect(written()).toContain("counting 0 s");
    expect(written().endsWith("\r\u001b[K")).toBe(true);
  });
});

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function recording(interactive: boolean) {
  let text = "";
  const err = (more: string) => {
    text += more;
  };
  return { terminal: { interactive, err } as Terminal, written: () => text };
}
