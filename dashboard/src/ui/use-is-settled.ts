import { useEffect, useState } from "react";

const SETTLE_MS = 500;

/**
 * Whether the component has been visible for half a second. Keeps a double click or a held key that was meant for the
 * previous question from answering this one.
 */
export function useIsSettled(): boolean {
  const [isSettled, setIsSettled] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const start = () => {
      if (document.hidden || timer !== undefined) return;
      timer = window.setTimeout(() => setIsSettled(true), SETTLE_MS);
    };
    start();
    document.addEventListener("visibilitychange", start);
    return () => {
      document.removeEventListener("visibilitychange", start);
      window.clearTimeout(timer);
    };
  }, []);
  return isSettled;
}
