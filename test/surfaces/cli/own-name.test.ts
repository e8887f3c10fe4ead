import { expect, it } from "vitest";
import { ownName } from "../../../src/surfaces/cli/own-name.ts";

it("next steps name a command that works: npx toolkeep where npm started it, toolkeep elsewhere", () => {
  expect(ownName({ npm_command: "start" })).toBe("npx toolkeep");
  expect(ownName({ npm_command: "exec" })).toBe("npx toolkeep");
  expect(ownName({})).toBe("toolkeep");
});
