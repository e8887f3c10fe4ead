import type { ToolView } from "../../api/contract.ts";

/** `read-only, core`; `none` where it is nothing special. */
export function flagWords(
  { readOnly, concurrencySafe, destructive }: ToolView["flags"],
  isCore = false,
): string {
  const words = [
    readOnly && "read-only",
    concurrencySafe && "concurrency-safe",
    destructive && "destructive",
    isCore && "core",
  ];
  return words.filter(Boolean).join(", ") || "none";
}
