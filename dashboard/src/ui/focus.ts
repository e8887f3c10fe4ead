import type { KeyboardEvent } from "react";

const REACHED =
  "a[href], button:not(:disabled), input:not(:disabled):not([type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]";

/** For `onKeyDown` of a window: Tab goes round in it, and not to the buttons of the browser. */
export function keepTabInside(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Tab" || event.defaultPrevented) return;
  const reached = [...event.currentTarget.querySelectorAll<HTMLElement>(REACHED)].filter(
    (element) => element.tabIndex >= 0 && element.checkVisibility(),
  );
  const [first, last] = event.shiftKey ? [reached.at(-1), reached[0]] : [reached[0], reached.at(-1)];
  const at = document.activeElement;
  if (at !== last && at !== event.currentTarget) return;
  if (at === event.currentTarget && !event.shiftKey) return;
  event.preventDefault();
  first?.focus();
}

/** Gives the focus back to what had it, or where that is gone or out of reach to the page. */
export function giveFocusBack(before: Element | null): void {
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>("#page")?.focus({ preventScroll: true });
}
