import { expect, test } from "vitest";
import { namePrompts } from "../../../src/servers/lists/server-offers.ts";

const prompt = (serverName: string, name: string, prefix = serverName) => ({ serverName, prefix, name });

test("a prompt is named after its server and itself", () => {
  const prompts = [prompt("github", "review"), prompt("docs", "Code Review!")];
  expect(namePrompts(prompts)).toEqual(["github_review", "docs_code_review_"]);
});

test("of prompts that come to the same name, the one that is called so keeps it", () => {
  const [spaced, exact, dashed] = namePrompts([
    prompt("docs", "a b"),
    prompt("docs", "a_b"),
    prompt("docs", "a-b"),
  ]);
  expect(exact).toBe("docs_a_b");
  expect([spaced, dashed]).toEqual([
    expect.stringMatching(/^docs_a_b_[0-9a-f]{6}$/),
    expect.stringMatching(/^docs_a_b_[0-9a-f]{6}$/),
  ]);
  expect(spaced).not.toBe(dashed);
});

test("names do not depend on the order in which servers were added", () => {
  const prompts = [prompt("a", "b_c"), prompt("a_b", "c"), prompt("x", "y z"), prompt("x", "y.z")];
  const names = namePrompts(prompts);
  const reversed = namePrompts([...prompts].reverse()).reverse();
  expect(new Set(names).size).toBe(4);
  expect(names.slice(2)).toEqual(reversed.slice(2));
});

test("a long name has 64 characters and stays apart from another that begins the same", () => {
  const long = "p".repeat(200);
  const names = namePrompts([prompt("s", `${long}1`), prompt("s", `${long}2`)]);
  expect(names.map((name) => name.length)).toEqual([64, 64]);
  expect(new Set(names).size).toBe(2);
});
