import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { giveFocusBack, keepTabInside } from "./focus.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons, the one that does it last. */
  readonly footer?: ReactNode;
  /** What came of a button of the footer: right above it, in view however long the rest is. */
  readonly result?: ReactNode;
  readonly wide?: boolean;
}

/**
 * A window over the page, there for as long as it is rendered. The browser's own modal dialog: the rest of the page is
 * out of reach, Escape closes it, focus goes in (to what has `data-autofocus`, else the first field) and back afterwards.
 */
export function Dialog({ title, onClose, children, footer, result, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current!;
    const before = document.activeElement;
    dialog.showModal();
    const wanted = dialog.querySelector<HTMLElement>("[data-autofocus]") ?? firstField(dialog);
    wanted?.focus();
    return () => {
      dialog.close();
      giveFocusBack(before);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onKeyDown={keepTabInside}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={classes(
        "m-auto max-h-[calc(100dvh-2rem)] w-full flex-col overflow-hidden rounded-lg border border-line bg-raised p-0 text-text shadow-2xl open:flex",
        wide ? "max-w-3xl" : "max-w-lg",
        "max-sm:m-0 max-sm:h-dvh max-sm:max-h-none max-sm:max-w-none max-sm:rounded-none",
      )}
    >
      <header className="flex items-center justify-between gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 id={id} className="min-w-0 truncate text-base font-semibold">
          {title}
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>
      <div className="max-h-[45%] shrink-0 overflow-y-auto border-t border-line px-4 py-3 empty:hidden">
        {result}
      </div>
      {footer && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">{footer}</footer>
      )}
    </dialog>
  );
}

function firstField(dialog: HTMLElement): HTMLElement | null {
  return dialog.querySelector<HTMLElement>("input:not([type=hidden]), textarea, select");
}
