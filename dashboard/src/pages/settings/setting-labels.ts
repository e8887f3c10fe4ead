import type { SettingView } from "../../api/contract.ts";

export const ORIGINS: Readonly<Record<SettingView["origin"], string>> = {
  default: "Default",
  user: "Your file",
  project: "Project file",
  env: "Environment",
};

export function formatValue(value: unknown): string {
  if (value === null) return "not set";
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" ? value : JSON.stringify(value);
}
