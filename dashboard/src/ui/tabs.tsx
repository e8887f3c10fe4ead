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

/** Links, so that each part has an address of its own. */
export function Tabs({ name, tabs, label, keepFirst = false }: TabsProps) {
  const chosen = useTab(name, tabs.map(({ id }) => id) as [string, ...string[]]);
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line px-4">
      {tabs.map(({ id, label: words, count }, index) => (
        <Link
          key={id}
          to={here({ [name]: index === 0 && !keepFirst ? "" : id })}
          aria-current={id === chosen ? "page" : undefined}
          className={classes(
            "-mb-px shrink-0 border-b-2 px-2 py-2 font-medium whitespace-nowrap",
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
