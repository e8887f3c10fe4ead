import { type ReactNode, useEffect, useRef } from "react";

/** Scrolls itself into view when it appears, and whenever `on` changes: what came of a button that was just pressed. */
export function Reveal({ on, children }: { on?: unknown; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new result is shown
  useEffect(() => {
    // Newer browsers return a promise, which is no function that ends an effect.
    ref.current?.scrollIntoView({ block: "nearest" });
  }, [on]);
  return (
    <div ref={ref} className="scroll-my-4">
      {children}
    </div>
  );
}
