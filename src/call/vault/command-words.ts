/**
 * Splits a command as a person types it into words. Blanks separate words; quotes and backslashes keep blanks. Nothing
 * else has a meaning, because no shell runs it. Undefined: a quote is not closed.
 */
export function commandWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === "" && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (character === quote) {
      quote = "";
    } else if (character === "\\" && quote !== "'" && index + 1 < text.length) {
      word = (word ?? "") + text[++index];
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== "") return undefined;
  return word === undefined ? words : [...words, word];
}
