import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useUrlState } from "../app/location.ts";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { Link } from "./link.tsx";
import { useKeys } from "./use-keys.ts";
import { useWidth } from "./use-width.ts";

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** A CSS grid track: "8rem", "minmax(0,2fr)". */
  readonly width?: string;
  /** Makes the column sortable. */
  readonly sortBy?: (row: T) => string | number;
  /** Also shown on a phone. The first column always is. */
  readonly showOnPhone?: boolean;
  /** Hidden when the table does not have the full page width, such as beside an open panel. */
  readonly wideOnly?: boolean;
  readonly alignEnd?: boolean;
}

interface DataTableProps<T> {
  /** Accessible name: "Servers". */
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** The URL of a row. The first cell becomes the link. */
  readonly rowLink?: (row: T) => string;
  /** The key of the row that is open in the panel. */
  readonly selected?: string | undefined;
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
  /** Adds a heading wherever the group key changes. Ignored while a column sorts the rows. */
  readonly group?: {
    readonly of: (row: T) => string;
    readonly heading: (key: string, count: number) => ReactNode;
  };
  readonly rowHeight?: number;
  /** The page handles j and k itself. */
  readonly pageHandlesKeys?: boolean;
  /** Loads the next page when the end of the list comes into view. */
  readonly more?: { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void };
}

const ROW_HEIGHT = 36;
/** Widths in pixels: below `NARROW` the table uses its phone layout, from `WIDE` on it shows every column. */
const NARROW = 560;
const WIDE = 880;
/** Undoes `truncate` inside a cell, except in secondary lines marked with `data-clip`. */
const WRAPPED =
  "py-1.5 wrap-anywhere [&_.truncate:not([data-clip],[data-clip]_*)]:overflow-visible [&_.truncate:not([data-clip],[data-clip]_*)]:whitespace-normal";

/**
 * A virtualized table. Tab stops at one row only, so that whatever follows the table is one key press away; the arrow keys,
 * j, k, Home and End move between rows, Enter opens one.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, rows, columns, rowKey, rowLink, selected, empty, more, group } = props;
  const { rowHeight = ROW_HEIGHT, pageHandlesKeys = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const isPhone = width < NARROW;
  const visibleColumns = columns.filter(
    ({ showOnPhone, wideOnly }, index) => index === 0 || (isPhone ? showOnPhone : width >= WIDE || !wideOnly),
  );
  const [sortedRows, sort] = useSortedRows(rows, columns);
  const { activeIndex, setActive } = useActiveRow(sortedRows, rowKey, selected);
  const { lines, lineOf } = useLines(sortedRows, sort.by === "" ? group : undefined);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (at) => {
      const line = lines[at];
      if (line === undefined) return at;
      return typeof line === "number" ? rowKey(sortedRows[line]!) : `group ${line.key}`;
    },
    overscan: 12,
    // Keep the row that Tab stops at in the DOM, wherever the list is scrolled to.
    rangeExtractor: (range) => withIndex(defaultRangeExtractor(range), lineOf(activeIndex), range.count),
  });
  const items = virtual.getVirtualItems();
  // Rows wrap and are measured on a phone only; forget the measurements when the layout changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the layout matters
  useLayoutEffect(() => virtual.measure(), [isPhone]);

  const lastVisible = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (more?.hasMore && !more.isLoading && lastVisible >= lines.length - 20) more.load();
  }, [more, lastVisible, lines.length]);

  const pendingFocus = useRef<number | null>(null);
  const focusPendingRow = () => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${pendingFocus.current}"] a`);
    if (!link) return;
    pendingFocus.current = null;
    link.focus({ preventScroll: true });
  };
  useLayoutEffect(focusPendingRow);
  const focusRow = (index: number) => {
    const next = Math.min(sortedRows.length - 1, Math.max(0, index));
    if (next < 0) return;
    pendingFocus.current = next;
    setActive(rowKey(sortedRows[next]!));
    virtual.scrollToIndex(lineOf(next));
    focusPendingRow();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = findRowIndex(event.target);
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: sortedRows.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    focusRow(next);
  };
  /** Moves from the focused row, or returns to the active row when the focus is elsewhere. */
  const moveFocusBy = (by: number) => () => {
    const at = findRowIndex(document.activeElement);
    focusRow(at === undefined || !scroller.current?.contains(document.activeElement) ? activeIndex : at + by);
  };
  useKeys(rowLink && !pageHandlesKeys ? { j: moveFocusBy(1), k: moveFocusBy(-1) } : {});
  const tracks = visibleColumns.map(({ width: track = "minmax(0,1fr)" }, index) =>
    isPhone ? toNarrowTrack(track, index) : track,
  );
  const grid = { gridTemplateColumns: tracks.join(" ") };

  if (rows.length === 0 && !more?.isLoading) return <div className="flex-1 overflow-y-auto">{empty}</div>;
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto"
      onKeyDown={onKeyDown}
      // A scroll area must be reachable by keyboard: through its row links, or itself when there are none.
      tabIndex={rowLink ? undefined : 0}
      onFocus={(event) => {
        const at = findRowIndex(event.target);
        if (at !== undefined && at !== activeIndex) setActive(rowKey(sortedRows[at]!));
      }}
      role="region"
      aria-label={label}
    >
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: the links inside are */}
      <div role="table" aria-label={label} aria-rowcount={lines.length + 1}>
        <div
          role="row"
          aria-rowindex={1}
          className="sticky top-0 z-10 grid border-b border-line bg-surface px-2"
          style={grid}
        >
          {visibleColumns.map((column) => (
            <HeaderCell key={column.id} column={column} sort={sort} />
          ))}
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index: at, start }) => {
            const line = lines[at]!;
            const transform = `translateY(${start}px)`;
            const position = isPhone ? { minHeight: rowHeight, transform } : { height: rowHeight, transform };
            const measureProps = isPhone ? { ref: virtual.measureElement, "data-index": at } : {};
            if (typeof line !== "number")
              return (
                <div
                  key={`group ${line.key}`}
                  {...measureProps}
                  role="row"
                  aria-rowindex={at + 2}
                  className="absolute inset-x-0 flex items-center border-b border-line bg-page px-2"
                  style={position}
                >
                  <div role="cell" className="min-w-0 truncate px-2 text-xs font-semibold">
                    {group!.heading(line.key, line.count)}
                  </div>
                </div>
              );
            const index = line;
            const row = sortedRows[index]!;
            const key = rowKey(row);
            return (
              <div
                key={key}
                {...measureProps}
                role="row"
                aria-rowindex={at + 2}
                aria-selected={rowLink ? key === selected : undefined}
                data-row={index}
                className={classes(
                  "absolute inset-x-0 grid items-center border-b border-line px-2 hover:bg-hover",
                  key === selected && "bg-selected hover:bg-selected",
                )}
                style={{ ...grid, ...position }}
              >
                {visibleColumns.map((column, nth) => (
                  <div
                    key={column.id}
                    role="cell"
                    className={classes(
                      "min-w-0 px-2",
                      isPhone && nth === 0 ? WRAPPED : "truncate",
                      column.alignEnd && "text-end",
                    )}
                  >
                    {nth === 0 && rowLink ? (
                      <Link
                        to={rowLink(row)}
                        tabIndex={index === activeIndex ? 0 : -1}
                        className={classes(
                          "block font-medium after:absolute after:inset-0",
                          !(isPhone && nth === 0) && "truncate",
                        )}
                        aria-current={key === selected ? "true" : undefined}
                      >
                        {column.cell(row)}
                      </Link>
                    ) : (
                      column.cell(row)
                    )}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: the links inside are */}
      {more?.isLoading && <p className="px-4 py-2 text-soft">Loading more…</p>}
    </div>
  );
}

/** Prevents sideways scrolling on a phone: the first column keeps its share and the others shrink. */
function toNarrowTrack(track: string, index: number): string {
  if (index === 0) return "minmax(40%,2fr)";
  return `minmax(0,${/^minmax\([^,]+,(.+)\)$/.exec(track)?.[1] ?? track})`;
}

interface GroupLine {
  readonly key: string;
  readonly count: number;
}

/** The lines of the table: row indexes with group headings between them. `lineOf` maps a row index to its line. */
function useLines<T>(
  rows: readonly T[],
  group: DataTableProps<T>["group"],
): { lines: readonly (number | GroupLine)[]; lineOf(index: number): number } {
  const isGrouped = group !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the group of a row is the same in every render
  return useMemo(() => {
    if (!group) return { lines: rows.map((_, index) => index), lineOf: (index) => index };
    const lines: (number | GroupLine)[] = [];
    const lineIndexes: number[] = [];
    let heading: { key: string; count: number } | undefined;
    for (const [index, row] of rows.entries()) {
      const key = group.of(row);
      if (heading?.key !== key) {
        heading = { key, count: 0 };
        lines.push(heading);
      }
      heading.count++;
      lineIndexes.push(lines.push(index) - 1);
    }
    return { lines, lineOf: (index) => lineIndexes[index] ?? 0 };
  }, [rows, isGrouped]);
}

/** The row that Tab stops at: the last one focused or opened, else the first. */
function useActiveRow<T>(
  rows: readonly T[],
  rowKey: (row: T) => string,
  selected: string | undefined,
): { activeIndex: number; setActive(key: string): void } {
  const [key, setActive] = useState(selected);
  const [lastSelected, setOpened] = useState(selected);
  if (selected !== lastSelected) {
    setOpened(selected);
    if (selected !== undefined) setActive(selected);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key of a row is the same in every render
  const at = useMemo(() => rows.findIndex((row) => rowKey(row) === key), [rows, key]);
  return { activeIndex: Math.max(0, at), setActive };
}

function withIndex(visible: readonly number[], index: number, count: number): number[] {
  if (index >= count || visible.includes(index)) return [...visible];
  return index < (visible[0] ?? 0) ? [index, ...visible] : [...visible, index];
}

/** The index of the row that contains an element. */
function findRowIndex(element: EventTarget | null): number | undefined {
  const row = element instanceof HTMLElement ? element.closest<HTMLElement>("[data-row]") : null;
  return row ? Number(row.dataset.row) : undefined;
}

interface Sort {
  readonly by: string;
  readonly isDescending: boolean;
  toggle(id: string): void;
}

function HeaderCell<T>({ column, sort }: { column: Column<T>; sort: Sort }) {
  const isSorted = sort.by === column.id;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside is
    <div
      role="columnheader"
      aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : undefined}
      className={classes(
        "truncate px-2 py-1.5 text-xs font-medium text-soft",
        column.alignEnd && "text-end",
        column.header === "" && "sr-only",
      )}
    >
      {column.sortBy ? (
        <button
          type="button"
          className="inline-flex items-center gap-1 hover:text-text"
          onClick={() => sort.toggle(column.id)}
        >
          {column.header}
          {isSorted && (
            <span className={sort.isDescending ? "" : "rotate-180"}>
              <Icon name="down" size={12} />
            </span>
          )}
        </button>
      ) : (
        column.header
      )}
    </div>
  );
}

/** Keeps the order in the URL: `?sort=name` or `?sort=-name`. */
function useSortedRows<T>(rows: readonly T[], columns: readonly Column<T>[]): [readonly T[], Sort] {
  const [order, setOrder] = useUrlState("sort");
  const isDescending = order.startsWith("-");
  const by = isDescending ? order.slice(1) : order;
  const sortBy = columns.find(({ id }) => id === by)?.sortBy;
  // biome-ignore lint/correctness/useExhaustiveDependencies: columns are new objects on each render, but sort the same way
  const sorted = useMemo(() => {
    if (!sortBy) return rows;
    const keyed = rows.map((row) => ({ row, key: sortBy(row) }));
    keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (isDescending ? -1 : 1));
    return keyed.map(({ row }) => row);
  }, [rows, by, isDescending]);
  const toggle = (id: string) => setOrder(by !== id ? id : isDescending ? "" : `-${id}`);
  return [sorted, { by, isDescending, toggle }];
}
