import { expect, test } from "vitest";
import { porterStem } from "../../../src/machine/text/porter.ts";
import { Dice } from "../../support/dice.ts";

/** The examples of Porter's paper, taken through all steps, and others that are well known. */
const STEMS = `
  caresses caress, ponies poni, ties ti, caress caress, cats cat, feed feed, agreed agre, plastered plaster, bled bled,
  motoring motor, sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall,
  hissing hiss, fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, conditional condit,
  rational ration, valenci valenc, digitizer digit, radicalli radic, differentli differ, vileli vile,
  analogousli analog, vietnamization vietnam, predication predic, operator oper, feudalism feudal,
  decisiveness decis, hopefulness hope, callousness callous, formaliti formal, sensitiviti sensit,
  sensibiliti sensibl, triplicate triplic, formative form, formalize formal, electriciti electr, electrical electr,
  hopeful hope, goodness good, revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop,
  adjustable adjust, defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend,
  adoption adopt, communism commun, activate activ, angulariti angular, homologous homolog, effective effect,
  bowdlerize bowdler, probate probat, rate rate, cease ceas, controll control, roll roll, generalizations gener,
  oscillators oscil, connection connect, connections connect, connective connect, connected connect, connecting connect
`;

test("words have the stems that Porter gave them", () => {
  const pairs = STEMS.split(",").map((pair) => pair.trim().split(" "));
  expect(pairs.length).toBeGreaterThan(70);
  expect(pairs.map(([word]) => [word, porterStem(word!)])).toEqual(pairs);
});

test("what is short, written large or in other letters stays as it is", () => {
  for (const word of ["", "a", "is", "as", "Running", "naïvely", "été", "x86s", "don't", "東京", "\ud800"])
    expect(porterStem(word)).toBe(word);
});

test("a stem is never empty, never much longer, and begins as its word does", () => {
  const dice = new Dice(11);
  const parts = [
    "s",
    "ing",
    "ed",
    "ational",
    "eed",
    "y",
    "ll",
    "e",
    "ou",
    "tion",
    "b",
    "a",
    "i",
    "z",
    "t",
    "ness",
  ];
  for (let round = 0; round < 2_000; round++) {
    const word = Array.from({ length: 1 + dice.below(6) }, () => dice.one(parts)).join("");
    const stem = porterStem(word);
    expect(stem.length, word).toBeGreaterThan(0);
    expect(stem.length, word).toBeLessThanOrEqual(word.length + 1);
    expect(stem[0], word).toBe(word[0]);
  }
});
