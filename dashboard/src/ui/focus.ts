import type { KeyboardEvent } from "react";

const FOCUSABLE =
  "a[href], button:not(:disabled), input:not(:disabled):not([type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]";

/** For a dialog's `onKeyDown`: Tab cycles inside the dialog and does not reach the browser's own buttons. */
export function keepTabInside(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Tab" || event.defaultPrevented) return;
  const focusable = [...event.currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => element.tabIndex >= 0 && element.checkVisibility(),
  );
  const [first, last] = event.shiftKey ? [focusable.at(-1), focusable[0]] : [focusable[0], focusable.at(-1)];
  const current = document.activeElement;
  if (current !== last && current !== event.currentTarget) return;
  if (current === event.currentTarget && !event.shiftKey) return;
  event.preventDefault();
  first?.focus();
}

/** Returns the focus to `previous`, or to the page when that element is gone or cannot be focused. */
export function restoreFocus(previous: Element | null): void {
  if (previous instanceof HTMLElement && previous.isConnected && previous !== document.body) previous.focus();
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>("#page")?.focus({ preventScroll: true });
}
