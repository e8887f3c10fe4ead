import { useCallback, useState } from "react";

/**
 * State of a form that outlives a reload and a lost connection, for as long as the tab is open. Never put a secret in
 * one. The third value forgets it: call it when the form was sent.
 */
export function useDraft<T>(key: string, initial: T): [T, (next: T) => void, () => void] {
  const place = `toolkeep.draft.${key}`;
  const [value, setValue] = useState<T>(() => read(place) ?? initial);
  const change = useCallback(
    (next: T) => {
      setValue(next);
      write(place, next);
    },
    [place],
  );
  const forget = useCallback(() => {
    setValue(initial);
    sessionStorage.removeItem(place);
  }, [place, initial]);
  return [value, change, forget];
}

function read<T>(place: string): T | undefined {
  try {
    const text = sessionStorage.getItem(place);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

function write(place: string, value: unknown): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(value));
  } catch {
    // Full or forbidden: the form works without.
  }
}
