import type { Settings } from "../../machine/config/settings.ts";
import type { Definition } from "../lifecycle/definition.ts";

/** Whether what a server publishes counts only once a person has accepted it. */
export function isPinned({ config }: Pick<Definition, "config">, { mcp }: Pick<Settings, "mcp">): boolean {
  if (config.pin !== null) return config.pin;
  return mcp.pin === "untrusted" ? !config.trusted : mcp.pin;
}
