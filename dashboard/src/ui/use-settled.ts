import { useEffect, useState } from "react";

const SETTLE_MS = 500;

/**
 * Whether this has been in sight for half a second: nobody decides about what has only just appeared. What was meant for
 * the thing before it, a second click or a key still held, must not reach it.
 */
export function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const start = () => {
      if (document.hidden || timer !== undefined) return;
      timer = window.setTimeout(() => setSettled(true), SETTLE_MS);
    };
    start();
    document.addEventListener("visibilitychange", start);
    return () => {
      document.removeEventListener("visibilitychange", start);
      window.clearTimeout(timer);
    };
  }, []);
  return settled;
}
