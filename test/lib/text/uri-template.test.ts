import { describe, expect, test } from "vitest";
import { canMatchUri, costOf, uriTemplate } from "../../../src/lib/text/uri-template.ts";
import { workNow } from "../../support/work-clock.ts";

const comes = (template: string, uri: string) => canMatchUri(uriTemplate(template), uri);

describe("a URI comes from a template", () => {
  test.each([
    ["file:///{path}", "file:///a.txt"],
    ["users://{id}/profile", "users://7/profile"],
    ["{+a}/{b}", "p/q/r"],
    ["{a}-{b}", "x-y-z"],
    ["repo://{owner}/{repo}/contents{/path*}", "repo://me/it/contents/src/a/b.ts"],
    ["repo://{owner}/{repo}/contents{/path*}", "repo://me/it/contents"],
    ["files://{path*}", "files://a/b/c"],
    ["search://all{?q,limit}", "search://all?q=x&limit=3"],
    ["search://all{?q,limit}", "search://all"],
    ["search://all?x=1{&q}", "search://all?x=1&q=2"],
    ["page://{name}{#part}", "page://x#intro"],
    ["www{.domain}", "www.example"],
    ["m{;x,y}", "m;x=1;y=2"],
    ["log://{date:10}", "log://2026-11-16"],
    ["plain://x", "plain://x"],
  ])("%s → %s", (template, uri) => expect(comes(template, uri)).toBe(true));
});

describe("a URI does not come from a template", () => {
  test.each([
    ["file:///{path}", "file:///a/b.txt"],
    ["file:///{path}", "file:///"],
    ["file:///{path}", "http://a"],
    ["users://{id}/profile", "users://7/settings"],
    ["a{x}a", "a"],
    ["search://all{?q}", "search://all/x"],
    ["plain://x", "plain://xy"],
    ["", ""],
    ["broken://{x", "broken://{x"],
    ["broken://{}", "broken://{}"],
    ["broken://}", "broken://}"],
    ["broken://{a b}", "broken://1"],
  ])("%s ↛ %s", (template, uri) => expect(comes(template, uri)).toBe(false));
});

test("a template made to be slow takes a bounded number of steps", () => {
  const template = uriTemplate(`${"{+x}a".repeat(32)}b{+y}`);
  const uri = "a".repeat(4096);
  expect(costOf(template, uri)).toBeLessThan(1_000_000);
  const startedAt = workNow();
  expect(canMatchUri(template, uri)).toBe(false);
  expect(workNow() - startedAt).toBeLessThan(500);
});

test("a template with more expressions than anybody writes matches nothing", () => {
  expect(comes("{a}-".repeat(33), "x-".repeat(33))).toBe(false);
  expect(comes(`x://${"y".repeat(3000)}{z}`, `x://${"y".repeat(3000)}1`)).toBe(false);
});

test("a look at both ends is cheap", () => {
  expect(costOf(uriTemplate("file:///{path}"), "http://x")).toBe(1);
});
