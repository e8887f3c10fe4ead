import { messageOf, ToolkeepError } from "./errors.ts";

/** The result of one check. Anything but `ok` has a remedy. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly remedy?: string;
}

export function ok(name: string, detail: string): Check {
  return { name, state: "ok", detail };
}

export function warning(name: string, detail: string, remedy: string): Check {
  return { name, state: "warning", detail, remedy };
}

export function failed(name: string, detail: string, remedy: string): Check {
  return { name, state: "failed", detail, remedy };
}

export function broken(name: string, error: unknown): Check {
  return failed(
    name,
    messageOf(error),
    error instanceof ToolkeepError
      ? error.remedy
      : "Check that the home is writable and the disk is not full.",
  );
}
