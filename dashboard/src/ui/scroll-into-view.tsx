import { type ReactNode, useEffect, useRef } from "react";

/** Scrolls its children into view when they appear and whenever `trigger` changes: for the result of a button. */
export function ScrollIntoView({ trigger, children }: { trigger?: unknown; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new result is shown
  useEffect(() => {
    // Braces on purpose: newer browsers return a promise here, which React would take for a cleanup function.
    ref.current?.scrollIntoView({ block: "nearest" });
  }, [trigger]);
  return (
    <div ref={ref} className="scroll-my-4">
      {children}
    </div>
  );
}
