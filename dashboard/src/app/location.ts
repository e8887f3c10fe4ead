import { useSyncExternalStore } from "react";
import { BASE } from "./base.ts";

const MOVED = "toolkeep:moved";

/** Goes to a path of the dashboard. `replace`: the place that is left is not kept in the history. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) window.history.replaceState(null, "", BASE + to);
  else window.history.pushState(null, "", BASE + to);
  window.dispatchEvent(new Event(MOVED));
}

function subscribe(moved: () => void): () => void {
  window.addEventListener(MOVED, moved);
  window.addEventListener("popstate", moved);
  return () => {
    window.removeEventListener(MOVED, moved);
    window.removeEventListener("popstate", moved);
  };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, currentPath);
}

function currentPath(): string {
  return window.location.pathname.slice(BASE.length);
}

/** What follows the question mark. */
export function useQueryString(): string {
  return useSyncExternalStore(subscribe, () => window.location.search);
}

/** A value that lives in the address, so that it can be linked to and outlives a reload; "" where it is not there. */
export function useUrlState(name: string): [string, (value: string) => void] {
  const value = new URLSearchParams(useQueryString()).get(name) ?? "";
  return [value, (next) => navigate(here({ [name]: next }), { replace: true })];
}

/** This place with other values in its address; "" takes one out. */
export function here(values: Readonly<Record<string, string>>, path = currentPath()): string {
  const params = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") params.delete(name);
    else params.set(name, value);
  }
  const query = params.toString();
  return query === "" ? path : `${path}?${query}`;
}
