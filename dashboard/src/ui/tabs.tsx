import { useEffect, useRef } from "react";
import { urlWith, useUrlState } from "../app/location.ts";
import { classes } from "./classes.ts";
import { Link } from "./link.tsx";

interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
}

/** The selected tab, kept in the URL parameter `name`. The first id is the default. */
export function useTab<const Id extends string>(name: string, ids: readonly [Id, ...Id[]]): Id {
  const [selected] = useUrlState(name);
  return (ids as readonly string[]).includes(selected) ? (selected as Id) : ids[0];
}

interface TabsProps {
  readonly name: string;
  readonly tabs: readonly Tab[];
  readonly label: string;
  /** Writes the first tab to the URL as well, where it would otherwise be left out. */
  readonly keepFirstInUrl?: boolean;
}

/** Tabs of a page or panel. The selection is kept in the URL. */
export function Tabs({ name, tabs, label, keepFirstInUrl = false }: TabsProps) {
  const selected = useTab(name, tabs.map(({ id }) => id) as [string, ...string[]]);
  const to = (id: string, index: number) => urlWith({ [name]: index === 0 && !keepFirstInUrl ? "" : id });
  return (
    <TabBar
      label={label}
      selected={selected}
      tabs={tabs.map((tab, index) => ({ ...tab, to: to(tab.id, index) }))}
    />
  );
}

interface TabBarProps {
  readonly label: string;
  readonly selected: string;
  readonly tabs: readonly (Tab & { readonly to: string })[];
}

/** Tabs as links, so that each has its own URL. Tabs that do not fit can be swiped; there is no scrollbar. */
export function TabBar({ label, selected, tabs }: TabBarProps) {
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is chosen
  useEffect(() => {
    const tab = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (bar.current && tab) bar.current.scrollLeft = tab.offsetLeft - bar.current.clientWidth / 3;
  }, [selected]);
  return (
    <nav
      ref={bar}
      aria-label={label}
      className="relative flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden px-4 shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none]"
    >
      {tabs.map(({ id, to, label: text, count }) => (
        <Link
          key={id}
          to={to}
          aria-current={id === selected ? "page" : undefined}
          className={classes(
            "shrink-0 border-b-2 px-2 py-2 font-medium whitespace-nowrap",
            id === selected ? "border-accent text-text" : "border-transparent text-soft hover:text-text",
          )}
        >
          {text}
          {count !== undefined && count > 0 && <span className="ml-1 text-soft">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
