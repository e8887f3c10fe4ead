import { Component, type ReactNode } from "react";
import { toProblem } from "../api/problem.ts";
import { ErrorState } from "../ui/states.tsx";

/** Shows a render error in place of its children, so that a broken page leaves the navigation usable. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <ErrorState problem={toProblem(error)} retry={() => window.location.reload()} />;
  }
}
