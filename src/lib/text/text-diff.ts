/** A line that both texts have, or only one of them. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** A limit for the cost: beyond it, everything between the first and the last difference counts as replaced. */
const MAX_CELLS = 250_000;

/** Describes how to turn one text into the other, line by line. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [from, to] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ kind: "same", text }));
  return [
    ...same(from.slice(0, start)),
    ...middle(from.slice(start, from.length - end), to.slice(start, to.length - end)),
    ...same(from.slice(from.length - end)),
  ];
}

/** Uses the longest common sequence of lines. */
function middle(from: readonly string[], to: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (from.length * to.length > MAX_CELLS) return [...from.map(removed), ...to.map(added)];
  const width = to.length + 1;
  /** For each pair of positions, the number of common lines in the remainders. */
  const common = new Uint32Array((from.length + 1) * width);
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      common[i * width + j] =
        from[i] === to[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      lines.push({ kind: "same", text: from[i]! });
      i++;
      j++;
    } else if (
      j >= to.length ||
      (i < from.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push(removed(from[i++]!));
    } else {
      lines.push(added(to[j++]!));
    }
  }
  return lines;
}
