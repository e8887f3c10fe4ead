import { createPace } from "../../../lib/flow/pace.ts";

/** Both databases bound the parameters of one statement; the widest table stays well below at this many rows. */
const ROWS_PER_STATEMENT = 500;

export function* inChunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
  }
}

/** Long enough to be worth a statement, short enough not to hold everybody up. */
const ROWS_PER_TURN = 100;

/**
 * Writes rows that may be very many, a few at a time, and lets everything else have its turn in between; `toRow` is
 * asked only when its row is due.
 */
export async function writeInTurns<T, R>(
  items: readonly T[],
  toRow: (item: T, position: number) => R,
  write: (rows: readonly R[]) => Promise<unknown>,
): Promise<void> {
  const pace = createPace();
  for (let start = 0; start < items.length; start += ROWS_PER_TURN) {
    const due = items.slice(start, start + ROWS_PER_TURN);
    await write(due.map((item, index) => toRow(item, start + index)));
    await pace();
  }
}
