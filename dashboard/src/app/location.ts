import { useSyncExternalStore } from "react";
import { BASE } from "./base.ts";

const NAVIGATED = "toolkeep:moved";

/** Goes to a path of the dashboard. `replace` drops the current entry from the history. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) window.history.replaceState(null, "", BASE + to);
  else window.history.pushState(null, "", BASE + to);
  window.dispatchEvent(new Event(NAVIGATED));
}

function subscribe(onNavigate: () => void): () => void {
  window.addEventListener(NAVIGATED, onNavigate);
  window.addEventListener("popstate", onNavigate);
  return () => {
    window.removeEventListener(NAVIGATED, onNavigate);
    window.removeEventListener("popstate", onNavigate);
  };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, currentPath);
}

function currentPath(): string {
  return window.location.pathname.slice(BASE.length);
}

/** The query string, including its question mark. */
export function useQueryString(): string {
  return useSyncExternalStore(subscribe, () => window.location.search);
}

/** State kept in a URL parameter, so that it can be linked to and survives a reload. "" when absent. */
export function useUrlState(name: string): [string, (value: string) => void] {
  const value = new URLSearchParams(useQueryString()).get(name) ?? "";
  return [value, (next) => navigate(urlWith({ [name]: next }), { replace: true })];
}

/** The current URL with other parameters; "" removes one. */
export function urlWith(values: Readonly<Record<string, string>>, path = currentPath()): string {
  const params = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === "") params.delete(name);
    else params.set(name, value);
  }
  const query = params.toString();
  return query === "" ? path : `${path}?${query}`;
}
