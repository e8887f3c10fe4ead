import { Component, type ReactNode } from "react";
import { problemOf } from "../api/problem.ts";
import { Failed } from "../ui/states.tsx";

/** What fails inside takes nothing outside with it: a page the navigation, and nothing the whole window. */
export class Broken extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Failed problem={problemOf(error)} retry={() => window.location.reload()} />;
  }
}
