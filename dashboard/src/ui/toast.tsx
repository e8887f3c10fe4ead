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
const ShownContext = createContext<{ shown: readonly Toast[]; close(id: number): void } | null>(null);

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
  const tray = useMemo(() => ({ shown, close }), [shown, close]);
  return (
    <ToastContext value={toasts}>
      <ShownContext value={tray}>{children}</ShownContext>
    </ToastContext>
  );
}

/** Where messages are shown: a part of the page with a place of its own, so that they cover no button. */
export function ToastTray() {
  const { shown, close } = useContext(ShownContext)!;
  return (
    <div role="status" aria-live="polite" aria-label="Notices" className="shrink-0">
      {shown.map(({ id, text, remedy, bad }) => (
        <div
          key={id}
          className={classes(
            "flex items-center gap-2 border-t bg-raised py-1 pr-2 pl-4",
            bad ? "border-bad bg-bad-soft" : "border-line",
          )}
        >
          <div className="line-clamp-4 min-w-0 flex-1">
            <span className={classes("font-medium", bad && "text-bad")}>
              <Untrusted text={text} />
            </span>
            {remedy && (
              <span className="ml-2">
                <Untrusted text={remedy} />
              </span>
            )}
          </div>
          <IconButton icon="close" label="Close this message" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
