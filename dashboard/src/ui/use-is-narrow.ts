import { useSyncExternalStore } from "react";

/** Same as Tailwind's `max-lg`. */
const NARROW = "(width < 64rem)";

/** Whether the window is so narrow that a side panel covers the list. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, isNarrow);
}

export function isNarrow(): boolean {
  return window.matchMedia(NARROW).matches;
}

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}
