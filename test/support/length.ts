import { describe, it } from "vitest";

/**
 * `npm test` takes a sample of random runs and matrices. `npm run test:deep` takes all of the files that `test/deep.ts` names, and so does
 * whoever names a file to vitest.
 */
const isSample = process.env.TOOLKEEP_TESTS === "quick";

/** False: only a sample is taken. */
export const isAtLength = !isSample;

/** How often, of `all` times. */
export function atLength(all: number, sample: number): number {
  return isSample ? sample : all;
}

/** As many of the rows, spread over all of them, with the first. */
export function sampleOf<const T>(rows: readonly T[], count: number): readonly T[] {
  if (!isSample || rows.length <= count) return rows;
  return Array.from({ length: count }, (_, at) => rows[Math.floor((at * rows.length) / count)]!);
}

/** A test for `npm run test:deep` only: what `npm test` has beside it guards the same behaviour in its main case. */
export const inDeep: typeof it = isSample ? ((() => {}) as unknown as typeof it) : it;
/** The same for a suite of them. */
export const suiteInDeep: typeof describe = isSample ? ((() => {}) as unknown as typeof describe) : describe;
