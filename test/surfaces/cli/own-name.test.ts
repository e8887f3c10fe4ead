import { expect, it } from "vitest";
import { getOwnName } from "../../../src/surfaces/cli/own-name.ts";

it("next steps name a command that works: npx toolkeep where npm started it, toolkeep elsewhere", () => {
  expect(getOwnName({ npm_command: "start" })).toBe("npx toolkeep");
  expect(getOwnName({ npm_command: "exec" })).toBe("npx toolkeep");
  expect(getOwnName({})).toBe("toolkeep");
});
