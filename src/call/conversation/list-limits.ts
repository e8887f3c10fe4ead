import type { Caller } from "../../contract/caller.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { ModelLimits } from "../../machine/config/sections/setting-shapes.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { isLocalModel } from "./local-model.ts";

/** The limits of one caller's lists. */
export interface ListLimits {
  readonly mode: "auto" | boolean;
  readonly threshold: number;
  /** `auto` defers tools where their schemas take more tokens; absent: the model's window is unknown. */
  readonly maxTokens?: number;
  /** The provider or client refuses or cuts off longer lists; absent: no limit. */
  readonly maxTools?: number;
  /** Never deferred: names, endings of names, or patterns with `*`. */
  readonly eager: readonly string[];
}

/** Limits that the providers document. */
const MODELS: Readonly<Record<string, ModelLimits>> = {
  "gpt-*": { maxTools: 128 },
  "gpt-4o*": { window: 128_000, maxTools: 128 },
  "gpt-5*": { window: 400_000, maxTools: 128 },
  "chatgpt-*": { maxTools: 128 },
  "o1*": { window: 200_000, maxTools: 128 },
  "o3*": { window: 200_000, maxTools: 128 },
  "o4*": { window: 200_000, maxTools: 128 },
  "openai/*": { maxTools: 128 },
  "azure/*": { maxTools: 128 },
  "gemini-*": { window: 1_000_000, maxTools: 128 },
  "google/*": { window: 1_000_000, maxTools: 128 },
  "claude-*": { window: 200_000 },
  "anthropic/*": { window: 200_000 },
};

/** Limits of clients, by the lower-case beginning of their names. */
const CLIENTS: readonly { readonly name: string; readonly maxTools: number }[] = [
  { name: "visual studio code", maxTools: 128 },
  { name: "cursor", maxTools: 40 },
  { name: "windsurf", maxTools: 100 },
];

/** The tools that an agent uses all the time if it directs other agents. */
const LIFECYCLE = [
  "create_agent",
  "wait_for_agent",
  "send_agent_prompt",
  "get_agent_activity",
  "list_agents",
  "cancel_agent",
  "resolve_outcome",
  "get_workflow_context",
  "save_plan",
  "recall_plans",
  "compact_conversation",
];
const COORDINATOR = [...LIFECYCLE, "memory_engage", "memory_reflect"];

type ListReader = Pick<Caller, "model" | "host" | "localModel" | "coordinator">;

export function listLimits(
  { model, host, localModel = false, coordinator = false }: ListReader,
  { mcp, toolSearch }: Pick<Settings, "mcp" | "toolSearch">,
): ListLimits {
  const configured = limitsFor(model, toolSearch.models);
  const known = limitsFor(model, MODELS);
  const isLocal = localModel || (model !== undefined && isLocalModel(model));
  const window = host?.window ?? configured.window ?? known.window;
  const maxTools =
    host?.maxTools ?? least(configured.maxTools ?? known.maxTools, clientMaxTools(host?.client));
  return {
    mode: mcp.deferredLoading,
    threshold: toolSearch.threshold,
    ...(window !== undefined && { maxTokens: (window * toolSearch.windowPercent) / 100 }),
    ...(maxTools !== undefined && { maxTools }),
    eager: [...(configured.eager ?? (isLocal ? LIFECYCLE : [])), ...(coordinator ? COORDINATOR : [])],
  };
}

/** The longest pattern that matches a model wins, for each limit separately. */
function limitsFor(model: string | undefined, models: Readonly<Record<string, ModelLimits>>): ModelLimits {
  if (model === undefined) return {};
  const name = model.toLowerCase();
  const matching = Object.keys(models)
    .filter((pattern) => wildcard(pattern.toLowerCase())(name))
    .sort((a, b) => a.length - b.length);
  return Object.assign({}, ...matching.map((pattern) => dropUndefined(models[pattern]!)));
}

function dropUndefined(limits: ModelLimits): ModelLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function clientMaxTools(client: string | undefined): number | undefined {
  const name = client?.toLowerCase();
  return name === undefined ? undefined : CLIENTS.find((each) => name.startsWith(each.name))?.maxTools;
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
