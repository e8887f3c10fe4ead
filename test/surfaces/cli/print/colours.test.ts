import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { table } from "../../../../src/lib/terminal/table.ts";
import { colourize, shouldUseColours } from "../../../../src/surfaces/cli/print/colours.ts";
import { Dice } from "../../../support/dice.ts";
import { testApi } from "../../../support/test-api.ts";
import { typed } from "../../../support/typed.ts";

const ESCAPE = "\u001b[";

describe("colours", () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ TERM: "dumb" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
  ])("with %j, terminal %s: %s", (env, isTerminal, wanted) => {
    expect(shouldUseColours({ env }, isTerminal)).toBe(wanted);
  });

  it("mark headings, states and checks", () => {
    const text = colourize(
      table(
        ["NAME", "STATE", "TOOLS"],
        [
          ["fs", "failed", 0],
          ["failed", "ready", 1],
        ],
        80,
      ),
    );
    expect(text).toContain(`${ESCAPE}1mNAME`);
    expect(text).toContain(`fs      ${ESCAPE}31mfailed${ESCAPE}0m  0`);
    expect(text).toContain(`\nfailed  ${ESCAPE}32mready${ESCAPE}0m`);
    expect(colourize("✗ home: gone\n")).toBe(`${ESCAPE}31m✗${ESCAPE}0m home: gone\n`);
  });

  it("change nothing but colours, whatever the text is", () => {
    const dice = new Dice(16);
    const WORDS = [
      "NAME",
      "STATE",
      "STATUS",
      "failed",
      "ready",
      "  ",
      " ",
      "\n",
      "✓ ",
      "! ",
      "✗",
      "x",
      "é",
      "A B",
      "OUTCOME",
      "denied",
    ];
    for (let round = 0; round < 2_000; round++) {
      const text = Array.from({ length: dice.below(20) }, () => dice.one(WORDS)).join("");
      expect(stripVTControlCharacters(colourize(text))).toBe(text);
    }
  });

  it("are on a terminal only, and never in JSON", async () => {
    await using api = await testApi();
    const env = { TOOLKEEP_URL: "http://127.0.0.1:1", TOOLKEEP_TOKEN: "unused" };
    const list = (words: readonly string[], more: object) =>
      typed(api, ["tool", "list", ...words], { env, ...more });
    expect((await list([], {})).out).not.toContain(ESCAPE);
    expect((await list([], { screen: true })).out).toContain(`${ESCAPE}1m  NAME`);
    expect((await list([], { screen: true, env: { ...env, NO_COLOR: "1" } })).out).not.toContain(ESCAPE);
    const forced = { ...env, FORCE_COLOR: "1" };
    expect((await list(["--json"], { screen: true, env: forced })).out).not.toContain(ESCAPE);
    const wrong = await typed(api, ["token", "revoke", "tok_x", "--yes"], { interactive: true, env });
    expect(wrong.err).toContain(`${ESCAPE}31merror:`);
    expect(wrong.err).toContain("Run `toolkeep token list`.");
  });
});
