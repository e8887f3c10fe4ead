import type { ToolView } from "../../api/contract.ts";

/** `read-only, core`, or `none`. */
export function formatFlags(
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
