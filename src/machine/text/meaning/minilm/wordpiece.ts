/** Turns a text into the numbers of its pieces, as the model was trained to read them: BERT's WordPiece, in lower case. */
export type WordPiece = (text: string, maxTokens: number) => number[];

const START = "[CLS]";
const END = "[SEP]";
const UNKNOWN = "[UNK]";
const INSIDE = "##";
const MAX_WORD = 100;
/** More characters than this per token cannot matter. */
const CHARS_PER_TOKEN = 32;

const DROPPED = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/gu;
const ACCENTS = /\p{Mn}/gu;
/** Each of these is a separate word: punctuation, ASCII symbols, and Chinese characters. */
const SINGLE =
  /[\p{P}$+<=>^`|~\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;

/** `vocabulary` has the number of every piece. */
export function createWordPiece(vocabulary: ReadonlyMap<string, number>): WordPiece {
  const numberOf = (piece: string) => vocabulary.get(piece)!;
  const [start, end, unknown] = [START, END, UNKNOWN].map(numberOf) as [number, number, number];
  return (text, maxTokens) => {
    const tokens = [start];
    for (const word of wordsOf(text.slice(0, maxTokens * CHARS_PER_TOKEN))) {
      if (tokens.length >= maxTokens - 1) break;
      tokens.push(...(piecesOf(word, vocabulary) ?? [unknown]));
    }
    return [...tokens.slice(0, maxTokens - 1), end];
  };
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll(DROPPED, "")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(ACCENTS, "")
    .replaceAll(SINGLE, " $& ")
    .split(/\s+/u)
    .filter((word) => word !== "");
}

/** The longest known pieces from left to right; undefined where there are none. */
function piecesOf(word: string, vocabulary: ReadonlyMap<string, number>): number[] | undefined {
  const characters = [...word];
  if (characters.length > MAX_WORD) return undefined;
  const pieces: number[] = [];
  for (let from = 0; from < characters.length; ) {
    let to = characters.length;
    let piece: number | undefined;
    for (; to > from; to--) {
      piece = vocabulary.get((from > 0 ? INSIDE : "") + characters.slice(from, to).join(""));
      if (piece !== undefined) break;
    }
    if (piece === undefined) return undefined;
    pieces.push(piece);
    from = to;
  }
  return pieces;
}
