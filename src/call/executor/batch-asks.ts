import type { Tool, ToolCall } from "../../contract/tool.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Offers } from "../catalog/offers/offers.ts";
import type { AskedCall } from "../rules/approvals/approval-binding.ts";
import type { Approvals } from "../rules/approvals/approvals.ts";
import type { Watchdog } from "../rules/watchdog.ts";
import { checkArguments } from "./arguments/arguments.ts";
import type { Schemas } from "./arguments/schemas.ts";

export interface BatchAskDeps {
  readonly catalog: Pick<Catalog, "resolve">;
  readonly offers: Pick<Offers, "resolve">;
  readonly watchdog: Pick<Watchdog, "decide" | "mayAsk">;
  readonly approvals: Pick<Approvals, "together">;
  readonly schemas: Schemas;
  readonly redact: (text: string) => string;
}

/**
 * Before the calls of a batch run: those that a person must approve are asked about in one question. Each of them still
 * takes its whole way, and finds there what it is told here.
 */
export async function askTogether(calls: readonly ToolCall[], deps: BatchAskDeps): Promise<void> {
  if (calls.length < 2) return;
  const asked = calls.flatMap((call) => askedOf(call, deps) ?? []);
  if (asked.length > 1) await deps.approvals.together(asked);
}

/** The call as a person would be asked about it; undefined where nobody is. */
function askedOf(call: ToolCall, deps: BatchAskDeps): AskedCall | undefined {
  const { caller } = call;
  if (call.kind === "task" || call.rounds?.approved !== undefined) return undefined;
  const resolved =
    call.kind === undefined
      ? deps.catalog.resolve(call.name, caller, call.snapshot)
      : deps.offers.resolve(call);
  if (!resolved.ok) return undefined;
  const tool = resolved.value;
  if (tool.standsFor) return behind(call, tool, deps);
  if (!deps.watchdog.mayAsk(tool, caller)) return undefined;
  const args = checkArguments(tool, call.arguments, deps);
  if (!args.ok) return undefined;
  const decision = deps.watchdog.decide(tool, caller, args.value);
  return decision.action === "ask" ? { tool, args: args.value, caller, decision } : undefined;
}

/** A call that stands for another is asked about as that other one. */
function behind(call: ToolCall, wrapper: Tool, deps: BatchAskDeps): AskedCall | undefined {
  const args = checkArguments(wrapper, call.arguments, deps);
  if (!args.ok || !wrapper.standsFor) return undefined;
  const meant = { ...call, ...wrapper.standsFor(args.value) };
  const resolved = deps.catalog.resolve(meant.name, call.caller, call.snapshot);
  if (!resolved.ok || resolved.value.standsFor) return undefined;
  const tool = resolved.value;
  const { caller } = call;
  const around = deps.watchdog.decide(wrapper, caller, args.value);
  if (around.action === "deny" || (around.action === "allow" && !deps.watchdog.mayAsk(tool, caller)))
    return undefined;
  const checked = checkArguments(tool, meant.arguments, deps);
  if (!checked.ok) return undefined;
  const own = deps.watchdog.decide(tool, caller, checked.value);
  const decision = own.action === "allow" ? around : own;
  return decision.action === "ask" ? { tool, args: checked.value, caller, decision } : undefined;
}
