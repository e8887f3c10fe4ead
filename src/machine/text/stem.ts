const VOWELS = "aeiou";
/** Only words with these endings can be shortened. */
const INFLECTED = /^[a-z]{2,}(?:[sye]|ed|ing)$/;

/**
 * Takes the endings off an English word in lower case that say nothing about what it means: plural, `-ed`, `-ing`, a final
 * e or y. These are the first and the last step of Porter's algorithm; those between, which make one word of
 * `relational` and `relate`, find more than was meant. What comes out need not be a word.
 */
export function stem(word: string): string {
  if (!INFLECTED.test(word)) return word;
  return withoutFinalE(withoutFinalY(withoutPast(withoutPlural(word))));
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !/[su]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutPast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const [, rest] = /^(.*)(?:ed|ing)$/.exec(word) ?? [];
  if (rest === undefined || !hasVowel(rest)) return word;
  if (/(at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsDouble(rest)) return /[lsz]$/.test(rest) ? rest : rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function withoutFinalY(word: string): string {
  return word.endsWith("y") && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function withoutFinalE(word: string): string {
  if (!word.endsWith("e")) return word;
  const rest = word.slice(0, -1);
  const syllables = measure(rest);
  return syllables > 1 || (syllables === 1 && !endsShort(rest)) ? rest : word;
}

/** How often a consonant follows a vowel: 0 in `tree`, 1 in `trees`, 2 in `private`. */
function measure(word: string): number {
  return (shapeOf(word).match(/v+c+/g) ?? []).length;
}

function hasVowel(word: string): boolean {
  return shapeOf(word).includes("v");
}

function endsDouble(word: string): boolean {
  return /([a-z])\1$/.test(word) && shapeOf(word).endsWith("c");
}

/** Consonant, vowel, consonant, as in `hop` and `fil`: such a word has lost an e. */
function endsShort(word: string): boolean {
  return shapeOf(word).endsWith("cvc") && !/[wxy]$/.test(word);
}

/** `c` and `v` for each letter; y is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = "";
  for (let at = 0; at < word.length; at++) {
    const letter = word[at]!;
    const isVowel = letter === "y" ? shape.endsWith("c") : VOWELS.includes(letter);
    shape += isVowel ? "v" : "c";
  }
  return shape;
}
