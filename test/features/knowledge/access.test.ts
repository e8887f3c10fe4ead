import { expect, it } from "vitest";
import { accessOf, canSee as shows } from "../../../src/features/knowledge/access.ts";

const agents = { private: ["main", "ops-*"], club: ["*"] };
const caller = { agentName: "main", operator: false, scopes: null } as const;

it("a token without scopes has the labels that the settings give its agent", () => {
  expect(accessOf(caller, agents)).toEqual({ labels: ["private", "club"] });
  expect(accessOf({ ...caller, agentName: "ops-1" }, agents)).toEqual({ labels: ["private", "club"] });
  expect(accessOf({ ...caller, agentName: "other" }, agents)).toEqual({ labels: ["club"] });
  expect(accessOf(caller, {})).toEqual({ labels: [] });
});

it("a token with scopes has the labels among them and no other; people see everything", () => {
  expect(accessOf({ ...caller, scopes: ["search", "label:diary"] }, agents)).toEqual({ labels: ["diary"] });
  expect(accessOf({ ...caller, scopes: ["search"] }, agents)).toEqual({ labels: [] });
  expect(accessOf({ ...caller, operator: true, scopes: ["search"] }, agents)).toEqual({ labels: null });
});

it("what bears no label is there for everybody", () => {
  for (const labels of [null, [], ["a"]]) expect(shows({ labels }, null)).toBe(true);
  expect([shows({ labels: [] }, "a"), shows({ labels: ["a"] }, "a"), shows({ labels: null }, "a")]).toEqual([
    false,
    true,
    true,
  ]);
});
