import { useEffect, useRef } from "react";
import { here, useUrlState } from "../app/location.ts";
import { classes } from "./classes.ts";
import { Link } from "./link.tsx";

interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
}

/** Which of several parts is shown; it lives in the address under `name`. The first is the default. */
export function useTab<const Id extends string>(name: string, ids: readonly [Id, ...Id[]]): Id {
  const [chosen] = useUrlState(name);
  return (ids as readonly string[]).includes(chosen) ? (chosen as Id) : ids[0];
}

interface TabsProps {
  readonly name: string;
  readonly tabs: readonly Tab[];
  readonly label: string;
  /** The first stands in the address, too. */
  readonly keepFirst?: boolean;
}

/** Parts of a page or panel; which one is shown lives in the address. */
export function Tabs({ name, tabs, label, keepFirst = false }: TabsProps) {
  const chosen = useTab(name, tabs.map(({ id }) => id) as [string, ...string[]]);
  const to = (id: string, index: number) => here({ [name]: index === 0 && !keepFirst ? "" : id });
  return (
    <TabBar
      label={label}
      chosen={chosen}
      tabs={tabs.map((tab, index) => ({ ...tab, to: to(tab.id, index) }))}
    />
  );
}

interface TabBarProps {
  readonly label: string;
  readonly chosen: string;
  readonly tabs: readonly (Tab & { readonly to: string })[];
}

/** Links, so that each part has an address of its own. Where they do not fit beside each other they are swiped, without a scrollbar. */
export function TabBar({ label, chosen, tabs }: TabBarProps) {
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is chosen
  useEffect(() => {
    const tab = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (bar.current && tab) bar.current.scrollLeft = tab.offsetLeft - bar.current.clientWidth / 3;
  }, [chosen]);
  return (
    <nav
      ref={bar}
      aria-label={label}
      className="relative flex shrink-0 gap-1 overflow-x-auto overflow-y-hidden px-4 shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none]"
    >
      {tabs.map(({ id, to, label: words, count }) => (
        <Link
          key={id}
          to={to}
          aria-current={id === chosen ? "page" : undefined}
          className={classes(
            "shrink-0 border-b-2 px-2 py-2 font-medium whitespace-nowrap",
            id === chosen ? "border-accent text-text" : "border-transparent text-soft hover:text-text",
          )}
        >
          {words}
          {count !== undefined && count > 0 && <span className="ml-1 text-soft">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
