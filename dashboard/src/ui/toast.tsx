import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from "react";
import type { Problem } from "../api/problem.ts";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { UntrustedText } from "./untrusted-text.tsx";

export interface Toasts {
  show(text: string): void;
  /** Stays until the person closes it. */
  showProblem(problem: Pick<Problem, "message" | "remedy">): void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly remedy?: string;
  readonly isProblem: boolean;
}

const VISIBLE_MS = 4_000;
const MAX_TOASTS = 4;
const ToastContext = createContext<Toasts | null>(null);
const TrayContext = createContext<{ visible: readonly Toast[]; close(id: number): void } | null>(null);

export function useToast(): Toasts {
  return useContext(ToastContext)!;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [visible, setVisible] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const close = useCallback(
    (id: number) => setVisible((before) => before.filter((one) => one.id !== id)),
    [],
  );
  const add = useCallback(
    (toast: Omit<Toast, "id">) => {
      lastId.current += 1;
      const id = lastId.current;
      setVisible((before) => [...before, { ...toast, id }].slice(-MAX_TOASTS));
      if (!toast.isProblem) window.setTimeout(() => close(id), VISIBLE_MS);
    },
    [close],
  );
  const toasts = useMemo<Toasts>(
    () => ({
      show: (text) => add({ text, isProblem: false }),
      showProblem: ({ message, remedy }) => add({ text: message, remedy, isProblem: true }),
    }),
    [add],
  );
  const tray = useMemo(() => ({ visible, close }), [visible, close]);
  return (
    <ToastContext value={toasts}>
      <TrayContext value={tray}>{children}</TrayContext>
    </ToastContext>
  );
}

/** Shows the toasts in the page flow instead of floating, so that they never cover a button. */
export function ToastTray() {
  const { visible, close } = useContext(TrayContext)!;
  return (
    <div role="status" aria-live="polite" aria-label="Notices" className="shrink-0">
      {visible.map(({ id, text, remedy, isProblem }) => (
        <div
          key={id}
          className={classes(
            "flex items-center gap-2 border-t bg-raised py-1 pr-2 pl-4",
            isProblem ? "border-bad bg-bad-soft" : "border-line",
          )}
        >
          <div className="line-clamp-4 min-w-0 flex-1">
            <span className={classes("font-medium", isProblem && "text-bad")}>
              <UntrustedText text={text} />
            </span>
            {remedy && (
              <span className="ml-2">
                <UntrustedText text={remedy} />
              </span>
            )}
          </div>
          <IconButton icon="close" label="Close message" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
