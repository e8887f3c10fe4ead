import type { Caller } from "../../src/contract/caller.ts";
import { SCOPES } from "../../src/contract/caller.ts";
import type { Tool } from "../../src/contract/tool.ts";
import type { Dice } from "./dice.ts";
import { testCaller, testTool } from "./tools.ts";

/** A catalogue and its toolboxes as chance has them, and callers for it. */
export interface RandomGrants {
  readonly tools: readonly Tool[];
  readonly toolboxes: Readonly<Record<string, readonly string[]>>;
  caller(more?: Partial<Caller>): Caller;
}

const ORIGINS = ["native", "platform", "custom", "mcp:fs", "mcp:git hub", "plugin:mail"];
const OWN_NAMES = ["read", "read_all", "list", "write", "a"];
const STATES = [
  "active",
  "active",
  "active",
  "unavailable",
  "disabled",
  "pending_approval",
  "planned",
] as const;
const PATTERNS = ["mcp:*", "mcp:fs:*", "mcp:*:read*", "plugin:*", "native:*", "platform:*", "mcp:gone:*"];
const BOXES = ["one", "two", "three", "four"];

export function randomGrants(dice: Dice): RandomGrants {
  const tools = ORIGINS.flatMap((origin) =>
    OWN_NAMES.filter(() => dice.chance(0.7)).map((ownName) => randomTool(origin, ownName, dice)),
  );
  const entry = () =>
    dice.weighted<() => string>([
      [6, () => dice.one(tools).name],
      [2, () => dice.one(PATTERNS)],
      [1, () => "*"],
      [1, () => "no_such_tool"],
    ])();
  const some = (most: number) => Array.from({ length: dice.below(most) }, entry);
  return {
    tools,
    toolboxes: Object.fromEntries(BOXES.map((name) => [name, some(6)])),
    caller: (more = {}) =>
      testCaller({
        agentId: `agt_${dice.below(1_000)}`,
        context: dice.one(["main", "sub-agent", "scout"]),
        toolboxes: [...BOXES, "gone"].filter(() => dice.chance(0.3)),
        grants: some(4),
        scopes: dice.chance(0.5) ? null : SCOPES.filter(() => dice.chance(0.6)),
        ...more,
      }),
  };
}

function randomTool(origin: string, ownName: string, dice: Dice): Tool {
  const [kind, place] = origin.split(":");
  const isForeign = place !== undefined;
  const state = dice.one(STATES);
  const isSafe = dice.chance(0.5);
  return testTool({
    name: `${kind}_${place?.replace(/\W/g, "_") ?? "own"}_${ownName}`,
    ownName: isForeign ? ownName : `${kind}_own_${ownName}`,
    origin,
    // As each source has it: what comes from elsewhere, and what manages Toolkeep, is given by name.
    wildcard: kind === "native" || kind === "custom",
    floor: kind === "native" && dice.chance(0.3),
    scope: kind === "platform" ? "admin" : isForeign ? "mcp" : dice.one(SCOPES),
    availability: kind === "platform" ? "main" : dice.one(["both", "both", "main", "sub-agent"]),
    flags: { readOnly: isSafe, concurrencySafe: isSafe, destructive: !isSafe && dice.chance(0.5) },
    status: () => (state === "active" ? { kind: "active" } : { kind: state, reason: `it is ${state}` }),
  });
}
