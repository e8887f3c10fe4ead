/** Compares by code points, as the databases do. UTF-16 units would sort surrogate pairs before the last characters of the basic plane. */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
