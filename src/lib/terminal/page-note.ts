/** Which part of a list was asked for, as it was typed. */
export interface PageOptions {
  readonly limit?: string;
  readonly offset?: string;
}

/** Says that a list goes on, and how to read on. */
export function pageNote({ offset = "0" }: PageOptions, shown: number, total: number): string {
  const end = Number(offset) + shown;
  return shown === 0 || end >= total ? "" : `(${end} of ${total}; read on with --offset ${end})\n`;
}
