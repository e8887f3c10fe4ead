import type { ToolSource } from "../../contract/tool.ts";
import { type HealthDeps, setupHealthTool } from "./health.ts";
import { type LogToolDeps, platformLogsTool } from "./logs.ts";
import { type SettingsToolDeps, settingsTools } from "./settings-tools.ts";

export type PlatformToolDeps = HealthDeps & SettingsToolDeps & LogToolDeps;

/** The tools for agents that set up Toolkeep. They are granted only by name, and only to main agents. */
export function createPlatformTools(deps: PlatformToolDeps): ToolSource {
  const tools = [setupHealthTool(deps), ...settingsTools(deps), platformLogsTool(deps)];
  return { name: "platform", tools: () => tools, onChange: () => () => {} };
}
