import * as tree from "../../machine/text/html/html-tree.ts";

const MAX_COLUMNS = 40;
const MAX_ROWS = 1_000;
/** Elements that do not occur in the cells of data tables. */
const LAYOUT_ELEMENTS = new Set([
  "table",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "pre",
  "form",
  "article",
  "section",
  "nav",
]);

/** Undefined if the table is only used for layout; its cells are then read one after the other. */
export function renderTable(
  table: tree.HtmlElement,
  cellMarkdown: (cell: tree.HtmlElement) => string,
): string | undefined {
  const all = findRows(table);
  const rows = all.slice(0, MAX_ROWS);
  const width = Math.min(MAX_COLUMNS, Math.max(0, ...rows.map(measureWidth)));
  if (rows.length < 2 || width < 2 || isLayout(table)) return undefined;
  const lines = rows.map((row) => {
    const cells = findCells(row).flatMap((cell) => [
      escapeCell(cellMarkdown(cell)),
      ...createSpanCells(cell),
    ]);
    return [...cells, ...Array<string>(width).fill("")].slice(0, width);
  });
  const [head, ...body] = lines;
  const rule = Array<string>(width).fill("---");
  const moreNote = all.length > MAX_ROWS ? [`(${all.length - MAX_ROWS} more rows)`] : [];
  return [...formatCaption(table), ...[head!, rule, ...body].map(formatRow), ...moreNote].join("\n");
}

function isLayout(table: tree.HtmlElement): boolean {
  if (tree.attribute(table, "role") === "presentation" || tree.attribute(table, "role") === "none")
    return true;
  return (
    tree.findElement(table, (element) => element !== table && LAYOUT_ELEMENTS.has(element.tagName)) !==
    undefined
  );
}

/** Excludes the rows of nested tables. */
function findRows(table: tree.HtmlElement): tree.HtmlElement[] {
  const rows: tree.HtmlElement[] = [];
  const enters = (element: tree.HtmlElement) => element === table || SECTIONS.has(element.tagName);
  for (const node of tree.walkTree(table, enters))
    if (tree.isElement(node) && node.tagName === "tr" && tree.isShown(node)) rows.push(node);
  return rows;
}

const SECTIONS = new Set(["thead", "tbody", "tfoot"]);

function findCells(row: tree.HtmlElement): tree.HtmlElement[] {
  return tree
    .childrenOf(row)
    .filter(tree.isElement)
    .filter((cell) => (cell.tagName === "td" || cell.tagName === "th") && tree.isShown(cell))
    .slice(0, MAX_COLUMNS);
}

function measureWidth(row: tree.HtmlElement): number {
  return findCells(row).reduce((width, cell) => width + 1 + createSpanCells(cell).length, 0);
}

/** Empty cells for the columns that a cell spans. */
function createSpanCells(cell: tree.HtmlElement): string[] {
  const span = Number.parseInt(tree.attribute(cell, "colspan") ?? "1", 10);
  return Array<string>(Math.min(Math.max(span || 1, 1), MAX_COLUMNS) - 1).fill("");
}

function escapeCell(markdown: string): string {
  return markdown
    .trim()
    .replace(/\s*\n\s*/g, "<br>")
    .replaceAll("|", "\\|");
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function formatCaption(table: tree.HtmlElement): string[] {
  const caption = tree
    .childrenOf(table)
    .filter(tree.isElement)
    .find((element) => element.tagName === "caption");
  const words = caption ? tree.lineOf(caption, 300) : "";
  return words === "" ? [] : [`**${words}**`, ""];
}
