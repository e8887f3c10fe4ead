/** Returns the position itself, or the one before if it splits a surrogate pair. */
export function wholeCharacterAt(text: string, place: number): number {
  return isSecondHalf(text.charCodeAt(place)) && isFirstHalf(text.charCodeAt(place - 1)) ? place - 1 : place;
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
