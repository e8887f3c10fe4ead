/** The place itself or, where it lies between the two halves of one character (a surrogate pair), the one before. */
export function wholeCharacterAt(text: string, place: number): number {
  return isSecondHalf(text.charCodeAt(place)) && isFirstHalf(text.charCodeAt(place - 1)) ? place - 1 : place;
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
