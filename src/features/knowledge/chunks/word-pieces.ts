/** The number of letters for each further piece of a word. */
const FIRST_PIECE = 7;
const NEXT_PIECE = 3;

/** Estimates how many pieces a BERT vocabulary makes of a part of `text`; rather too many than too few. */
export function countPieces(text: string, start: number, end: number): number {
  let pieces = 0;
  for (let at = start, word = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isLetter(code)) {
      word += 1;
      if (word === 1 || isNextPiece(word)) pieces += 1;
    } else {
      word = 0;
      if (isSingle(code)) pieces += 1;
    }
  }
  return pieces;
}

/** The end of `most` pieces from `start`, at most `end`; always after `start`. */
export function afterPieces(text: string, start: number, end: number, most: number): number {
  let pieces = 0;
  for (let at = start, word = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    let isNext = false;
    if (isLetter(code)) {
      word += 1;
      isNext = word === 1 || isNextPiece(word);
    } else {
      word = 0;
      isNext = isSingle(code);
    }
    if (isNext && ++pieces > most) return Math.max(at, start + 1);
  }
  return end;
}

function isNextPiece(letters: number): boolean {
  return letters > FIRST_PIECE && (letters - FIRST_PIECE) % NEXT_PIECE === 1;
}

/** Scripts whose words the vocabulary contains: ASCII and Latin with accents. */
function isLetter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    (code >= 0xc0 && code <= 0x24f)
  );
}

/** Punctuation, and characters of scripts that are read one by one. White space and the second half of a pair are nothing. */
function isSingle(code: number): boolean {
  if (code <= 32) return false;
  if (code >= 0xdc00 && code <= 0xdfff) return false;
  return code !== 0xa0 && code !== 0x3000 && !(code >= 0x2000 && code <= 0x200b);
}
