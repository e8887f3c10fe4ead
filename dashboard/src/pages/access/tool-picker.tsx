import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { ServerList, ToolSearchAnswer } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { classes } from "../../ui/classes.ts";
import { Icon } from "../../ui/icon.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { originWords, short } from "./tool-words.tsx";
import { useSettled } from "./use-preview.ts";

interface ToolPickerProps {
  readonly label: string;
  /** What is chosen already. */
  readonly taken: readonly string[];
  readonly onAdd: (entry: string) => void;
  /** Also all tools of a server, and all that come with Toolkeep. */
  readonly patterns?: boolean;
}

interface Option {
  readonly entry: string;
  readonly about: string;
  readonly note: string;
}

const SHOWN = 12;
const MANY = 5;

/** Adds tools by searching for what they do. Arrow keys move, Enter adds, Escape clears. */
export function ToolPicker({ label, taken, onAdd, patterns = false }: ToolPickerProps) {
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const query = useSettled(typed.trim());
  const found = useGet<ToolSearchAnswer>(query === "" ? undefined : "/tool-search", {
    params: { query, limit: SHOWN },
    keepPrevious: true,
  });
  const many = useMany(patterns, query);
  const options = query === "" ? [] : [...many, ...toolOptions(found.data)];
  const isOpen = typed.trim() !== "";
  // What is shown may still be the answer to other words.
  const isCurrent = query === typed.trim() && !found.isPlaceholderData && !found.isPending;
  const current = options[Math.min(at, options.length - 1)];

  useEffect(() => {
    box.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const add = (option: Option | undefined) => {
    if (option && !taken.includes(option.entry)) onAdd(option.entry);
  };
  // Enter before the answer is there adds what it finds for exactly these words.
  const [entered, setEntered] = useState<string | null>(null);
  useEffect(() => {
    if (entered === null || !isCurrent) return;
    setEntered(null);
    if (entered === query) add(current);
  });
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") {
      if (isCurrent) add(current);
      else setEntered(typed.trim());
    } else if (event.key === "Escape" && isOpen) setTyped("");
    else if (step !== undefined) setAt(Math.max(0, Math.min(options.length - 1, at + step)));
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
            isOpen && current ? `${list}-${Math.min(at, options.length - 1)}` : undefined
          }
          placeholder={label}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setEntered(null);
            setAt(0);
          }}
          onKeyDown={press}
          className="h-8 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 placeholder:text-soft max-sm:h-10"
        />
      </div>
      <div
        ref={box}
        id={list}
        role="listbox"
        aria-label="Tools that were found"
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
            isTaken={taken.includes(option.entry)}
            onChoose={() => {
              setAt(index);
              add(option);
            }}
          />
        ))}
        {isOpen && options.length === 0 && (
          // biome-ignore lint/a11y/useFocusableInteractive: it cannot be chosen
          <div
            role="option"
            aria-selected="false"
            aria-disabled="true"
            className="px-2 py-3 text-center text-soft"
          >
            {found.isFetching || query !== typed.trim() ? "Searching …" : "No tool fits these words"}
          </div>
        )}
      </div>
    </div>
  );
}

function OptionLine({
  id,
  index,
  option: { entry, about, note },
  isCurrent,
  isTaken,
  onChoose,
}: {
  id: string;
  index: number;
  option: Option;
  isCurrent: boolean;
  isTaken: boolean;
  onChoose: () => void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
    <div
      id={id}
      data-at={index}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      aria-disabled={isTaken}
      className={classes(
        "grid grid-cols-[minmax(0,1fr)_auto] gap-x-2 rounded px-2 py-1",
        isCurrent ? "bg-selected" : "hover:bg-hover",
      )}
      onClick={onChoose}
    >
      <UntrustedText text={entry} mono line />
      <span className="text-xs text-soft">{isTaken ? "already in" : note}</span>
      <span className="col-span-2 text-xs text-soft">
        <UntrustedText text={about} line />
      </span>
    </div>
  );
}

function toolOptions(found: ToolSearchAnswer | undefined): readonly Option[] {
  return (found?.matches ?? []).map(({ tool }) => ({
    entry: tool.name,
    about: tool.description,
    note: `${originWords(tool.origin)} · ${short(tool.tokens)} tokens`,
  }));
}

/** What gives many tools at once, now and later. */
function useMany(isWanted: boolean, query: string): readonly Option[] {
  const servers = useGet<ServerList>(isWanted ? "/servers" : undefined).data?.servers ?? [];
  if (!isWanted || query === "") return [];
  const words = query.toLowerCase();
  const all = {
    entry: "*",
    about: "Every tool that comes with Toolkeep, and your scripts",
    note: "all of them",
  };
  return [
    // Only by its own sign: a server may be called "all" or "everything".
    ...(words === "*" ? [all] : []),
    ...servers
      .filter(({ name }) => name.toLowerCase().includes(words))
      .sort(
        (a, b) =>
          a.name.toLowerCase().indexOf(words) - b.name.toLowerCase().indexOf(words) ||
          a.name.length - b.name.length,
      )
      .slice(0, MANY)
      .map(({ name, toolCount }) => ({
        entry: `mcp:${name}:*`,
        about: `Every tool of the server ${name}, also those it will have later`,
        note: `${toolCount} tools`,
      })),
  ];
}
