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
  /** A track of a CSS grid: "8rem", "minmax(0,2fr)". */
  readonly width?: string;
  /** With it people can sort by this column. */
  readonly sortBy?: (row: T) => string | number;
  /** Shown on a phone, too. The first column always is. */
  readonly phone?: boolean;
  /** Left out where the table has less room than a whole page: beside open details. */
  readonly roomy?: boolean;
  readonly end?: boolean;
}

interface DataTableProps<T> {
  /** What the rows are, for those who do not see them: "Servers". */
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** Where a row leads; its first cell becomes the link. */
  readonly rowLink?: (row: T) => string;
  /** The key of the row whose details are open. */
  readonly selected?: string | undefined;
  /** Instead of rows where there are none. */
  readonly empty: ReactNode;
  /** A heading where the group of a row is another than that of the row before; not while a column sorts them. */
  readonly group?: {
    readonly of: (row: T) => string;
    readonly heading: (key: string, count: number) => ReactNode;
  };
  readonly rowHeight?: number;
  /** The page itself does something with j and k. */
  readonly ownKeys?: boolean;
  /** There is more than `rows`, read when the end comes into view. */
  readonly more?: { readonly has: boolean; readonly loading: boolean; readonly load: () => void };
}

const ROW_HEIGHT = 36;
/** In pixels: as on a phone, and as beside nothing else. */
const NARROW = 560;
const ROOMY = 880;

/**
 * A list of any length: only what is in view is in the page. Tab stops at one row, so that what follows the list is one
 * press away; arrows, j and k, Home and End move along the rows, Enter opens one.
 */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, rows, columns, rowKey, rowLink, selected, empty, more, group } = props;
  const { rowHeight = ROW_HEIGHT, ownKeys = false } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const shown = columns.filter(
    ({ phone, roomy }, index) => index === 0 || (width < NARROW ? phone : width >= ROOMY || !roomy),
  );
  const [sorted, sort] = useSorted(rows, columns);
  const { active, setActive } = useActive(sorted, rowKey, selected);
  const { lines, lineOf } = useLines(sorted, sort.by === "" ? group : undefined);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // The row that Tab stops at is there wherever the list was scrolled to.
    rangeExtractor: (range) => withIndex(defaultRangeExtractor(range), lineOf(active), range.count),
  });
  const items = virtual.getVirtualItems();

  const lastShown = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (more?.has && !more.loading && lastShown >= lines.length - 20) more.load();
  }, [more, lastShown, lines.length]);

  const wanted = useRef<number | null>(null);
  const focusWanted = () => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] a`);
    if (!link) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  };
  useLayoutEffect(focusWanted);
  const goTo = (index: number) => {
    const next = Math.min(sorted.length - 1, Math.max(0, index));
    if (next < 0) return;
    wanted.current = next;
    setActive(rowKey(sorted[next]!));
    virtual.scrollToIndex(lineOf(next));
    focusWanted();
  };
  const move = (event: KeyboardEvent) => {
    const at = rowAt(event.target);
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: sorted.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    goTo(next);
  };
  /** From wherever the focus is: to the row, and from a row to the next one. */
  const step = (by: number) => () => {
    const at = rowAt(document.activeElement);
    goTo(at === undefined || !scroller.current?.contains(document.activeElement) ? active : at + by);
  };
  useKeys(rowLink && !ownKeys ? { j: step(1), k: step(-1) } : {});
  const tracks = shown.map(({ width: track = "minmax(0,1fr)" }, index) =>
    width < NARROW ? narrowTrack(track, index) : track,
  );
  const grid = { gridTemplateColumns: tracks.join(" ") };

  if (rows.length === 0 && !more?.loading) return <div className="flex-1 overflow-y-auto">{empty}</div>;
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto"
      onKeyDown={move}
      // What scrolls must be reachable by keys: by its rows, or where they lead nowhere by itself.
      tabIndex={rowLink ? undefined : 0}
      onFocus={(event) => {
        const at = rowAt(event.target);
        if (at !== undefined && at !== active) setActive(rowKey(sorted[at]!));
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
          {shown.map((column) => (
            <HeaderCell key={column.id} column={column} sort={sort} />
          ))}
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index: at, start }) => {
            const line = lines[at]!;
            const place = { height: rowHeight, transform: `translateY(${start}px)` };
            if (typeof line !== "number")
              return (
                <div
                  key={`group ${line.key}`}
                  role="row"
                  aria-rowindex={at + 2}
                  className="absolute inset-x-0 flex items-center border-b border-line bg-page px-2"
                  style={place}
                >
                  <div role="cell" className="min-w-0 truncate px-2 text-xs font-semibold">
                    {group!.heading(line.key, line.count)}
                  </div>
                </div>
              );
            const index = line;
            const row = sorted[index]!;
            const key = rowKey(row);
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={at + 2}
                aria-selected={rowLink ? key === selected : undefined}
                data-row={index}
                className={classes(
                  "absolute inset-x-0 grid items-center border-b border-line px-2 hover:bg-hover",
                  key === selected && "bg-selected hover:bg-selected",
                )}
                style={{ ...grid, ...place }}
              >
                {shown.map((column, nth) => (
                  <div
                    key={column.id}
                    role="cell"
                    className={classes("min-w-0 truncate px-2", column.end && "text-end")}
                  >
                    {nth === 0 && rowLink ? (
                      <Link
                        to={rowLink(row)}
                        tabIndex={index === active ? 0 : -1}
                        className="block truncate font-medium after:absolute after:inset-0"
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
      {more?.loading && <p className="px-4 py-2 text-soft">Loading more …</p>}
    </div>
  );
}

/** On a phone nothing scrolls sideways: the first column keeps its share, and the others give way. */
function narrowTrack(track: string, index: number): string {
  if (index === 0) return "minmax(40%,2fr)";
  return `minmax(0,${/^minmax\([^,]+,(.+)\)$/.exec(track)?.[1] ?? track})`;
}

interface GroupLine {
  readonly key: string;
  readonly count: number;
}

/** What stands below each other: the places of rows, with headings between them; and on which line a row is. */
function useLines<T>(
  rows: readonly T[],
  group: DataTableProps<T>["group"],
): { lines: readonly (number | GroupLine)[]; lineOf(index: number): number } {
  const isGrouped = group !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the group of a row is the same in every render
  return useMemo(() => {
    if (!group) return { lines: rows.map((_, index) => index), lineOf: (index) => index };
    const lines: (number | GroupLine)[] = [];
    const places: number[] = [];
    let heading: { key: string; count: number } | undefined;
    for (const [index, row] of rows.entries()) {
      const key = group.of(row);
      if (heading?.key !== key) {
        heading = { key, count: 0 };
        lines.push(heading);
      }
      heading.count++;
      places.push(lines.push(index) - 1);
    }
    return { lines, lineOf: (index) => places[index] ?? 0 };
  }, [rows, isGrouped]);
}

/** Which row Tab stops at: the one that was last gone to or opened, else the first. */
function useActive<T>(
  rows: readonly T[],
  rowKey: (row: T) => string,
  selected: string | undefined,
): { active: number; setActive(key: string): void } {
  const [key, setActive] = useState(selected);
  const [opened, setOpened] = useState(selected);
  if (selected !== opened) {
    setOpened(selected);
    if (selected !== undefined) setActive(selected);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key of a row is the same in every render
  const at = useMemo(() => rows.findIndex((row) => rowKey(row) === key), [rows, key]);
  return { active: Math.max(0, at), setActive };
}

function withIndex(shown: readonly number[], index: number, count: number): number[] {
  if (index >= count || shown.includes(index)) return [...shown];
  return index < (shown[0] ?? 0) ? [index, ...shown] : [...shown, index];
}

/** The place of the row that an element is in. */
function rowAt(element: EventTarget | null): number | undefined {
  const row = element instanceof HTMLElement ? element.closest<HTMLElement>("[data-row]") : null;
  return row ? Number(row.dataset.row) : undefined;
}

interface Sort {
  readonly by: string;
  readonly down: boolean;
  toggle(id: string): void;
}

function HeaderCell<T>({ column, sort }: { column: Column<T>; sort: Sort }) {
  const isSorted = sort.by === column.id;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside is
    <div
      role="columnheader"
      aria-sort={isSorted ? (sort.down ? "descending" : "ascending") : undefined}
      className={classes(
        "truncate px-2 py-1.5 text-xs font-medium text-soft",
        column.end && "text-end",
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
            <span className={sort.down ? "" : "rotate-180"}>
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

/** The order lives in the address: `?sort=name` or `?sort=-name`. */
function useSorted<T>(rows: readonly T[], columns: readonly Column<T>[]): [readonly T[], Sort] {
  const [order, setOrder] = useUrlState("sort");
  const down = order.startsWith("-");
  const by = down ? order.slice(1) : order;
  const sortBy = columns.find(({ id }) => id === by)?.sortBy;
  // biome-ignore lint/correctness/useExhaustiveDependencies: columns are made anew with each render; their order is not
  const sorted = useMemo(() => {
    if (!sortBy) return rows;
    const keyed = rows.map((row) => ({ row, key: sortBy(row) }));
    keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (down ? -1 : 1));
    return keyed.map(({ row }) => row);
  }, [rows, by, down]);
  const toggle = (id: string) => setOrder(by !== id ? id : down ? "" : `-${id}`);
  return [sorted, { by, down, toggle }];
}
