import { useCallback, useState } from "react";

/**
 * State of a form that outlives a reload and a lost connection, for as long as the tab is open. Until somebody types it is
 * `initial`, also when that changes. Never put a secret in one. The third value forgets what was typed: call it when the
 * form was sent, and the form shows what is stored then, not what it began with.
 */
export function useDraft<T>(key: string, initial: T): [T, (next: T) => void, () => void] {
  const place = `toolkeep.draft.${key}`;
  const [typed, setTyped] = useState<{ readonly value: T } | null>(() => read(place));
  const change = useCallback(
    (next: T) => {
      setTyped({ value: next });
      write(place, next);
    },
    [place],
  );
  const forget = useCallback(() => {
    setTyped(null);
    sessionStorage.removeItem(place);
  }, [place]);
  return [typed === null ? initial : typed.value, change, forget];
}

function read<T>(place: string): { readonly value: T } | null {
  try {
    const text = sessionStorage.getItem(place);
    return text === null ? null : { value: JSON.parse(text) as T };
  } catch {
    return null;
  }
}

function write(place: string, value: unknown): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(value));
  } catch {
    // Full or forbidden: the form works without.
  }
}
