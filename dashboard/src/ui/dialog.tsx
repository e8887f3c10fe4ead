import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { keepTabInside, restoreFocus } from "./focus.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly footer?: ReactNode;
  /** The result of a footer button, shown right above the footer so that it is always in view. */
  readonly result?: ReactNode;
  readonly wide?: boolean;
}

/**
 * A modal dialog, open for as long as it is rendered. Uses the browser's `<dialog>`: the rest of the page is inert and Escape
 * closes it. Focus moves to `[data-autofocus]`, else to the first field, and returns to its previous element on close.
 */
export function Dialog({ title, onClose, children, footer, result, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current!;
    const previousFocus = document.activeElement;
    dialog.showModal();
    const initialFocus = dialog.querySelector<HTMLElement>("[data-autofocus]") ?? findFirstField(dialog);
    initialFocus?.focus();
    return () => {
      dialog.close();
      restoreFocus(previousFocus);
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

function findFirstField(dialog: HTMLElement): HTMLElement | null {
  return dialog.querySelector<HTMLElement>("input:not([type=hidden]), textarea, select");
}
