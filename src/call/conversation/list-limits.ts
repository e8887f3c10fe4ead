import type { Caller } from "../../contract/caller.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { ModelLimits, Settings } from "../../machine/config/settings.ts";
import { isLocalModel } from "./local-model.ts";

/** What the lists of one caller have to keep to. */
export interface ListLimits {
  readonly mode: "auto" | boolean;
  readonly threshold: number;
  /** `auto` defers where the schemas take more tokens than this; absent: the model's window is not known. */
  readonly maxTokens?: number;
  /** More tools its provider or client refuses or cuts off; absent: as many as there are. */
  readonly maxTools?: number;
  /** Never deferred: names, the ends of names, or patterns with `*`. */
  readonly eager: readonly string[];
}

/** What providers document. */
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

/** What clients take, by how their names begin in lower case. */
const CLIENTS: readonly { readonly name: string; readonly maxTools: number }[] = [
  { name: "visual studio code", maxTools: 128 },
  { name: "cursor", maxTools: 40 },
  { name: "windsurf", maxTools: 100 },
];

/** What an agent uses all the time that has others work for it. */
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

type Seat = Pick<Caller, "model" | "host" | "localModel" | "coordinator">;

export function listLimits(
  { model, host, localModel = false, coordinator = false }: Seat,
  { mcp, toolSearch }: Pick<Settings, "mcp" | "toolSearch">,
): ListLimits {
  const said = limitsFor(model, toolSearch.models);
  const known = limitsFor(model, MODELS);
  const isLocal = localModel || (model !== undefined && isLocalModel(model));
  const window = host?.window ?? said.window ?? known.window;
  const maxTools = host?.maxTools ?? least(said.maxTools ?? known.maxTools, clientMaxTools(host?.client));
  return {
    mode: mcp.deferredLoading,
    threshold: toolSearch.threshold,
    ...(window !== undefined && { maxTokens: (window * toolSearch.windowPercent) / 100 }),
    ...(maxTools !== undefined && { maxTools }),
    eager: [...(said.eager ?? (isLocal ? LIFECYCLE : [])), ...(coordinator ? COORDINATOR : [])],
  };
}

/** Of the patterns that match a model the longest counts; each limit is looked for by itself. */
function limitsFor(model: string | undefined, models: Readonly<Record<string, ModelLimits>>): ModelLimits {
  if (model === undefined) return {};
  const name = model.toLowerCase();
  const matching = Object.keys(models)
    .filter((pattern) => wildcard(pattern.toLowerCase())(name))
    .sort((a, b) => a.length - b.length);
  return Object.assign({}, ...matching.map((pattern) => present(models[pattern]!)));
}

function present(limits: ModelLimits): ModelLimits {
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
