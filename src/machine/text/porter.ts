/** The endings of Porter's second, third and fourth step, and what takes their place; the first that fits decides. */
const STEP_2: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
];
const STEP_3: readonly (readonly [string, string])[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const STEP_4 = "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split(
  " ",
);
const WORD = /^[a-z]{3,}$/;

/**
 * Porter's algorithm, all of it: `relational`, `relating` and `relates` become one. For long texts, where the same is said in many
 * forms; for names of tools `stem` is better. What comes out need not be a word.
 */
export function porterStem(word: string): string {
  if (!WORD.test(word)) return word;
  const first = yToI(withoutPast(withoutPlural(word)));
  return withoutFinal(withoutLast(replaced(replaced(first, STEP_2), STEP_3)));
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function withoutPast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const rest = word.endsWith("ed") ? word.slice(0, -2) : word.endsWith("ing") ? word.slice(0, -3) : undefined;
  if (rest === undefined || !shapeOf(rest).includes("v")) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function yToI(word: string): string {
  return word.endsWith("y") && shapeOf(word.slice(0, -1)).includes("v") ? `${word.slice(0, -1)}i` : word;
}

function replaced(word: string, endings: readonly (readonly [string, string])[]): string {
  for (const [ending, instead] of endings) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    return measure(rest) > 0 ? rest + instead : word;
  }
  return word;
}

function withoutLast(word: string): string {
  const ending = STEP_4.filter((one) => word.endsWith(one)).sort((a, b) => b.length - a.length)[0];
  if (ending === undefined) return word;
  // Only -ion of -sion and -tion is removed.
  const cut = ending === "sion" || ending === "tion" ? 3 : ending.length;
  const rest = word.slice(0, -cut);
  return measure(rest) > 1 ? rest : word;
}

function withoutFinal(word: string): string {
  let rest = word;
  if (rest.endsWith("e")) {
    const before = rest.slice(0, -1);
    const syllables = measure(before);
    if (syllables > 1 || (syllables === 1 && !endsShort(before))) rest = before;
  }
  return rest.endsWith("ll") && measure(rest.slice(0, -1)) > 1 ? rest.slice(0, -1) : rest;
}

/** How often a consonant follows a vowel: 0 in `tree`, 1 in `trees`, 2 in `private`. */
function measure(word: string): number {
  return shapeOf(word).match(/v+c+/g)?.length ?? 0;
}

/** Consonant, vowel, consonant, where the last is not w, x or y: as in `hop`. */
function endsShort(word: string): boolean {
  return /cvc$/.test(shapeOf(word)) && !/[wxy]$/.test(word);
}

/** `v` for each vowel and `c` for each consonant; y is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = "";
  for (const letter of word) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && shape.endsWith("c"));
    shape += isVowel ? "v" : "c";
  }
  return shape;
}
