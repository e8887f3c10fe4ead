/** Compiled once: whether a text is the pattern, in which `*` stands for any run of characters. */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split("*");
  return parts.length === 1 ? (text) => text === pattern : (text) => matches(parts, text);
}

/** Linear: each part is found once, from left to right. */
function matches(parts: readonly string[], text: string): boolean {
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let position = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, position);
    if (found < 0 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}
