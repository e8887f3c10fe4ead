import { useState } from "react";

export type Theme = "system" | "light" | "dark";

const STORAGE_KEY = "toolkeep.theme";

/** The theme that the person chose in this browser. */
export function readStoredTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readStoredTheme);
  return [
    theme,
    (next) => {
      setTheme(next);
      applyTheme(next);
      try {
        localStorage.setItem(STORAGE_KEY, next);
      } catch {
        // Storage is blocked; the theme applies until the page is closed.
      }
    },
  ];
}
