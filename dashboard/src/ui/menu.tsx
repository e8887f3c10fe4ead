import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { buttonClasses } from "./button.tsx";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
}

/** A button with a menu of actions, on the browser's popover. The arrow keys move, Escape closes it. */
export function Menu({
  label,
  items,
  children,
}: {
  label: string;
  items: readonly MenuItem[];
  children?: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const positionMenu = () => {
    const [menu, at] = [list.current!, button.current!.getBoundingClientRect()];
    menu.style.top = `${Math.min(at.bottom + 4, window.innerHeight - menu.offsetHeight - 8)}px`;
    menu.style.left = `${Math.max(8, Math.min(at.right - menu.offsetWidth, window.innerWidth - menu.offsetWidth - 8))}px`;
    menu.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    const all = [...list.current!.querySelectorAll<HTMLElement>("button:not(:disabled)")];
    const next = all.indexOf(document.activeElement as HTMLElement) + offset;
    all[(next + all.length) % all.length]?.focus();
  };
  if (items.length === 0) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        popoverTarget={id}
        className={children ? buttonClasses() : classes(buttonClasses("quiet"), "w-8 justify-center px-0")}
      >
        {children ?? <Icon name="more" />}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onToggle={(event) => event.newState === "open" && positionMenu()}
        onKeyDown={onKeyDown}
        className="fixed inset-auto m-0 min-w-44 rounded-md border border-line bg-raised p-1 text-text shadow-lg"
      >
        {items.map(({ label: text, icon, danger, disabled, onSelect }) => (
          <button
            key={text}
            type="button"
            role="menuitem"
            disabled={disabled}
            className={classes(
              "flex w-full items-center gap-2 rounded px-2 py-1.5 text-left hover:bg-hover focus-visible:bg-hover disabled:opacity-50",
              danger && "text-bad",
            )}
            onClick={() => {
              list.current?.hidePopover();
              onSelect();
            }}
          >
            {icon && <Icon name={icon} />}
            {text}
          </button>
        ))}
      </div>
    </>
  );
}
