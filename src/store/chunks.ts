/** Both databases bound the parameters of one statement; the widest table stays well below at this many rows. */
const ROWS_PER_STATEMENT = 500;

export function* inChunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
  }
}
