import { useState } from "react";

export type Theme = "system" | "light" | "dark";

const PLACE = "toolkeep.theme";

/** What the person chose in this browser. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(PLACE);
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
  const [theme, setTheme] = useState(storedTheme);
  return [
    theme,
    (next) => {
      setTheme(next);
      applyTheme(next);
      try {
        localStorage.setItem(PLACE, next);
      } catch {
        // Forbidden: it counts until the page is left.
      }
    },
  ];
}
