import { useCallback, useState } from "react";

/**
 * Form state that survives a reload and a lost connection, for as long as the tab is open. Returns `initial`, even when that
 * changes, until the person types. Never put a secret in it: it is kept in `sessionStorage`. Call the third value after the
 * form is sent; the form then shows what is stored instead of the draft.
 */
export function useDraft<T>(key: string, initial: T): [T, (next: T) => void, () => void] {
  const storageKey = `toolkeep.draft.${key}`;
  const [draft, setDraft] = useState<{ readonly value: T } | null>(() => read(storageKey));
  const change = useCallback(
    (next: T) => {
      setDraft({ value: next });
      write(storageKey, next);
    },
    [storageKey],
  );
  const clear = useCallback(() => {
    setDraft(null);
    sessionStorage.removeItem(storageKey);
  }, [storageKey]);
  return [draft === null ? initial : draft.value, change, clear];
}

function read<T>(storageKey: string): { readonly value: T } | null {
  try {
    const text = sessionStorage.getItem(storageKey);
    return text === null ? null : { value: JSON.parse(text) as T };
  } catch {
    return null;
  }
}

function write(storageKey: string, value: unknown): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(value));
  } catch {
    // Storage is full or blocked; the form works without it.
  }
}
