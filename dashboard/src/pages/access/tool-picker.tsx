import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { ServerList, ToolSearchAnswer } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { classes } from "../../ui/classes.ts";
import { Icon } from "../../ui/icon.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { formatCompact, formatOrigin } from "./tool-labels.tsx";
import { useDebounced } from "./use-preview.ts";

interface ToolPickerProps {
  readonly label: string;
  /** Entries that are already added. */
  readonly selected: readonly string[];
  readonly onAdd: (entry: string) => void;
  /** Also offers all tools of a server, and `*`. */
  readonly allowPatterns?: boolean;
}

interface Option {
  readonly entry: string;
  readonly description: string;
  readonly note: string;
}

const MAX_TOOLS = 12;
const MAX_SERVERS = 5;

/** Finds tools by what they do and adds them. The arrow keys move, Enter adds, Escape clears. */
export function ToolPicker({ label, selected, onAdd, allowPatterns = false }: ToolPickerProps) {
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const [activeIndex, setActiveIndex] = useState(0);
  const query = useDebounced(text.trim());
  const search = useGet<ToolSearchAnswer>(query === "" ? undefined : "/tool-search", {
    params: { query, limit: MAX_TOOLS },
    keepPrevious: true,
  });
  const patternOptions = usePatternOptions(allowPatterns, query);
  const options = query === "" ? [] : [...patternOptions, ...toOptions(search.data)];
  const isOpen = text.trim() !== "";
  // The options on screen may still answer an older query.
  const isCurrent = query === text.trim() && !search.isPlaceholderData && !search.isPending;
  const current = options[Math.min(activeIndex, options.length - 1)];

  useEffect(() => {
    box.current?.querySelector(`[data-at="${activeIndex}"]`)?.scrollIntoView({ block: "nearest" });
  }, [activeIndex]);

  const add = (option: Option | undefined) => {
    if (option && !selected.includes(option.entry)) onAdd(option.entry);
  };
  // Enter pressed before the answer arrives adds the first result for exactly this text.
  const [pendingEnter, setPendingEnter] = useState<string | null>(null);
  useEffect(() => {
    if (pendingEnter === null || !isCurrent) return;
    setPendingEnter(null);
    if (pendingEnter === query) add(current);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") {
      if (isCurrent) add(current);
      else setPendingEnter(text.trim());
    } else if (event.key === "Escape" && isOpen) setText("");
    else if (offset !== undefined)
      setActiveIndex(Math.max(0, Math.min(options.length - 1, activeIndex + offset)));
    else return;
    event.preventDefault();
  };

  return (
    <div>
      <div className="relative">
        <span className="pointer-events-none absolute top-2 left-2 text-soft max-sm:top-3">
          <Icon name="search" />
        </span>
        <input
          type="text"
          role="combobox"
          autoComplete="off"
          spellCheck={false}
          aria-label={label}
          aria-expanded={isOpen}
          aria-controls={list}
          aria-activedescendant={
            isOpen && current ? `${list}-${Math.min(activeIndex, options.length - 1)}` : undefined
          }
          placeholder={label}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setPendingEnter(null);
            setActiveIndex(0);
          }}
          onKeyDown={onKeyDown}
          className="h-8 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 placeholder:text-soft max-sm:h-10"
        />
      </div>
      <div
        ref={box}
        id={list}
        role="listbox"
        aria-label="Matching tools"
        hidden={!isOpen}
        className="mt-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lg"
      >
        {options.map((option, index) => (
          <OptionLine
            key={option.entry}
            id={`${list}-${index}`}
            index={index}
            option={option}
            isCurrent={option === current}
            isSelected={selected.includes(option.entry)}
            onChoose={() => {
              setActiveIndex(index);
              add(option);
            }}
          />
        ))}
        {isOpen && options.length === 0 && (
          // biome-ignore lint/a11y/useFocusableInteractive: it cannot be selected
          <div
            role="option"
            aria-selected="false"
            aria-disabled="true"
            className="px-2 py-3 text-center text-soft"
          >
            {search.isFetching || query !== text.trim() ? "Searching…" : "No matching tools"}
          </div>
        )}
      </div>
    </div>
  );
}

function OptionLine({
  id,
  index,
  option: { entry, description, note },
  isCurrent,
  isSelected,
  onChoose,
}: {
  id: string;
  index: number;
  option: Option;
  isCurrent: boolean;
  isSelected: boolean;
  onChoose: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input above handles the keys
    <div
      id={id}
      data-at={index}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      aria-disabled={isSelected}
      className={classes(
        "grid grid-cols-[minmax(0,1fr)_auto] gap-x-2 rounded px-2 py-1",
        isCurrent ? "bg-selected" : "hover:bg-hover",
      )}
      onClick={onChoose}
    >
      <UntrustedText text={entry} mono line />
      <span className="text-xs text-soft">{isSelected ? "already added" : note}</span>
      <span className="col-span-2 text-xs text-soft">
        <UntrustedText text={description} line />
      </span>
    </div>
  );
}

function toOptions(answer: ToolSearchAnswer | undefined): readonly Option[] {
  return (answer?.matches ?? []).map(({ tool }) => ({
    entry: tool.name,
    description: tool.description,
    note: `${formatOrigin(tool.origin)} · ${formatCompact(tool.tokens)} tokens`,
  }));
}

/** Patterns that cover many tools at once, including future ones. */
function usePatternOptions(isEnabled: boolean, query: string): readonly Option[] {
  const servers = useGet<ServerList>(isEnabled ? "/servers" : undefined).data?.servers ?? [];
  if (!isEnabled || query === "") return [];
  const words = query.toLowerCase();
  const all = {
    entry: "*",
    description: "All built-in tools and your custom tools",
    note: "all",
  };
  return [
    // Only for a literal "*": a server may be named "all" or "everything".
    ...(words === "*" ? [all] : []),
    ...servers
      .filter(({ name }) => name.toLowerCase().includes(words))
      .sort(
        (a, b) =>
          a.name.toLowerCase().indexOf(words) - b.name.toLowerCase().indexOf(words) ||
          a.name.length - b.name.length,
      )
      .slice(0, MAX_SERVERS)
      .map(({ name, toolCount }) => ({
        entry: `mcp:${name}:*`,
        description: `All tools of the server ${name}, including future ones`,
        note: `${toolCount} tools`,
      })),
  ];
}
