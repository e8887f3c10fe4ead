import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useUrlState } from "../app/location.ts";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { Link } from "./link.tsx";
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
  readonly rowHeight?: number;
  /** There is more than `rows`, read when the end comes into view. */
  readonly more?: { readonly has: boolean; readonly loading: boolean; readonly load: () => void };
}

const ROW_HEIGHT = 36;
/** In pixels: as on a phone, and as beside nothing else. */
const NARROW = 560;
const ROOMY = 880;

/** A list of any length: only what is in view is in the page. Arrow keys move along the rows, Enter opens one. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, rows, columns, rowKey, rowLink, selected, empty, rowHeight = ROW_HEIGHT, more } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const shown = columns.filter(
    ({ phone, roomy }, index) => index === 0 || (width < NARROW ? phone : width >= ROOMY || !roomy),
  );
  const [sorted, sort] = useSorted(rows, columns);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const [focused, setFocused] = useState<number | null>(null);

  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more?.has && !more.loading && lastShown >= sorted.length - 20) more.load();
  }, [more, lastShown, sorted.length]);
  useEffect(() => {
    if (focused === null) return;
    scroller.current?.querySelector<HTMLElement>(`[data-row="${focused}"] a`)?.focus();
  }, [focused]);

  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = (event.target as HTMLElement).closest("[data-row]")?.getAttribute("data-row");
    if (step === undefined || at === null || at === undefined) return;
    event.preventDefault();
    const next = Math.min(sorted.length - 1, Math.max(0, Number(at) + step));
    virtual.scrollToIndex(next);
    setFocused(next);
  };
  const grid = { gridTemplateColumns: shown.map(({ width }) => width ?? "minmax(0,1fr)").join(" ") };

  if (rows.length === 0 && !more?.loading) return <div className="flex-1 overflow-y-auto">{empty}</div>;
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto"
      onKeyDown={move}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: the links inside are */}
      <div role="table" aria-label={label} aria-rowcount={sorted.length + 1}>
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
          {items.map(({ index, start }) => {
            const row = sorted[index]!;
            const key = rowKey(row);
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={rowLink ? key === selected : undefined}
                data-row={index}
                className={classes(
                  "absolute inset-x-0 grid items-center border-b border-line px-2 hover:bg-hover",
                  key === selected && "bg-selected hover:bg-selected",
                )}
                style={{ ...grid, height: rowHeight, transform: `translateY(${start}px)` }}
              >
                {shown.map((column, at) => (
                  <div
                    key={column.id}
                    role="cell"
                    className={classes("min-w-0 truncate px-2", column.end && "text-end")}
                  >
                    {at === 0 && rowLink ? (
                      <Link
                        to={rowLink(row)}
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
