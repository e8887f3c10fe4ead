/** The requested part of a list, as typed. */
export interface PageOptions {
  readonly limit?: string;
  readonly offset?: string;
}

/** Says that a list has more entries, and how to read them. */
export function pageNote({ offset = "0" }: PageOptions, shown: number, total: number): string {
  const end = Number(offset) + shown;
  return shown === 0 || end >= total ? "" : `(${end} of ${total}; read on with --offset ${end})\n`;
}
