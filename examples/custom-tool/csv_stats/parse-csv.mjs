/** The rows of a CSV text (RFC 4180): cells may be quoted, and then hold commas, line ends and "" for a quote. */
export function parseCsv(content) {
  const rows = [];
  let row = [];
  for (const [, quoted, plain, end] of content.matchAll(CELL)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

const CELL = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g;
