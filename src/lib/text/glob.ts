/** True if a path (with `/`) matches the pattern. Takes time in proportion to both, for every pattern. */
export type GlobMatcher = (path: string) => boolean;

const MAX_ALTERNATIVES = 64;

/**
 * `*` matches any characters except `/`, `?` one such character, `**` any number of folders, `{a,b}` either. A pattern
 * without `/` is matched against the last name of a path. Undefined if the pattern has more than 64 alternatives.
 */
export function createGlob(pattern: string): GlobMatcher | undefined {
  const alternatives = expandBraces(pattern);
  if (alternatives === undefined) return undefined;
  const matchers = alternatives.map(matcherOf);
  return (path) => matchers.some((matches) => matches(path));
}

function matcherOf(pattern: string): GlobMatcher {
  const parts = pattern.replace(/^\.?\//, "").split("/");
  const anywhere = !pattern.includes("/");
  return (path) => {
    const names = path.split("/");
    return matchPath(parts, anywhere ? names.slice(-1) : names);
  };
}

function matchPath(parts: readonly string[], names: readonly string[]): boolean {
  return matchList(parts, names, (part) => part === "**", matchName);
}

function matchName(part: string, name: string): boolean {
  return matchList(
    [...part],
    [...name],
    (c) => c === "*",
    (wanted, c) => wanted === "?" || wanted === c,
  );
}

/** Matches `items` against `wanted` greedily; a star stands for any run. Backtracks only to the last star. */
export function matchList<Wanted, Item>(
  wanted: readonly Wanted[],
  items: readonly Item[],
  isStar: (wanted: Wanted) => boolean,
  fits: (wanted: Wanted, item: Item) => boolean,
): boolean {
  let w = 0;
  let i = 0;
  let retry: { w: number; i: number } | undefined;
  while (i < items.length) {
    const next = wanted[w];
    if (next !== undefined && isStar(next)) {
      retry = { w: ++w, i };
    } else if (next !== undefined && fits(next, items[i]!)) {
      w++;
      i++;
    } else if (retry) {
      retry.i++;
      w = retry.w;
      i = retry.i;
    } else {
      return false;
    }
  }
  return wanted.slice(w).every(isStar);
}

function expandBraces(pattern: string): string[] | undefined {
  const group = /\{([^{}]*)\}/.exec(pattern);
  if (!group) return [pattern];
  const before = pattern.slice(0, group.index);
  const after = pattern.slice(group.index + group[0].length);
  const expanded: string[] = [];
  for (const choice of group[1]!.split(",")) {
    const more = expandBraces(before + choice + after);
    if (more === undefined || expanded.length + more.length > MAX_ALTERNATIVES) return undefined;
    expanded.push(...more);
  }
  return expanded;
}
