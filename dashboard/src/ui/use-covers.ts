import { useSyncExternalStore } from "react";

/** As Tailwind's `max-lg`. */
const NARROW = "(width < 64rem)";

/** Whether the window is so narrow that details cover the list instead of standing beside it. */
export function useCovers(): boolean {
  return useSyncExternalStore(subscribe, covers);
}

export function covers(): boolean {
  return window.matchMedia(NARROW).matches;
}

function subscribe(changed: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
