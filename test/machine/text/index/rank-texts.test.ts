import { expect, it } from "vitest";
import { rankTexts } from "../../../../src/machine/text/index/rank-texts.ts";

const text = (title: string, body = "") => ({ title, body });

it("a word in a title counts more than the same word in a body", async () => {
  const texts = [
    text("Hosts", "where we deploy"),
    text("Deploying", "where hosts are"),
    text("Lunch", "at noon"),
  ];
  expect(await rankTexts("deploy", texts)).toEqual([1, 0]);
});

it("equal matches stay in the order in which they came, however many there are", async () => {
  const texts = Array.from({ length: 120 }, () => text("same"));
  expect(await rankTexts("same", texts)).toEqual([...texts.keys()]);
});

it("nothing to look for, or nothing to look in, finds nothing", async () => {
  expect(await rankTexts("", [text("a")])).toEqual([]);
  expect(await rankTexts("?!", [text("a")])).toEqual([]);
  expect(await rankTexts("a", [])).toEqual([]);
});

it("everything else has its turn while long texts are ranked", async () => {
  const body = Array.from({ length: 1_500 }, (_, at) => `word${at}`).join(" ");
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  try {
    await rankTexts(
      "word7",
      Array.from({ length: 100 }, () => text("t", body)),
    );
  } finally {
    clearInterval(counting);
  }
  expect(turns).toBeGreaterThan(3);
});
