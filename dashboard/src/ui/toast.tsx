import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from "react";
import type { Problem } from "../api/problem.ts";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { Untrusted } from "./untrusted.tsx";

export interface Toasts {
  tell(text: string): void;
  /** Stays until it is closed. */
  complain(problem: Pick<Problem, "message" | "remedy">): void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly remedy?: string;
  readonly bad: boolean;
}

const SHOWN_MS = 4_000;
const MOST = 4;
const ToastContext = createContext<Toasts | null>(null);

export function useToast(): Toasts {
  return useContext(ToastContext)!;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const close = useCallback((id: number) => setShown((before) => before.filter((one) => one.id !== id)), []);
  const add = useCallback(
    (toast: Omit<Toast, "id">) => {
      last.current += 1;
      const id = last.current;
      setShown((before) => [...before, { ...toast, id }].slice(-MOST));
      if (!toast.bad) window.setTimeout(() => close(id), SHOWN_MS);
    },
    [close],
  );
  const toasts = useMemo<Toasts>(
    () => ({
      tell: (text) => add({ text, bad: false }),
      complain: ({ message, remedy }) => add({ text: message, remedy, bad: true }),
    }),
    [add],
  );
  return (
    <ToastContext value={toasts}>
      {children}
      <div
        role="status"
        aria-live="polite"
        className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2"
      >
        {shown.map(({ id, text, remedy, bad }) => (
          <div
            key={id}
            className={classes(
              "pointer-events-auto flex items-start gap-2 rounded-md border bg-raised px-3 py-2 shadow-lg",
              bad ? "border-bad" : "border-line",
            )}
          >
            <div className="min-w-0 flex-1 py-1">
              <div className={classes("font-medium", bad && "text-bad")}>
                <Untrusted text={text} />
              </div>
              {remedy && (
                <div className="text-soft">
                  <Untrusted text={remedy} />
                </div>
              )}
            </div>
            <IconButton icon="close" label="Close this message" onClick={() => close(id)} />
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
