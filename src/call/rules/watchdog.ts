import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { FileRules } from "../../lib/files/file-rules.ts";
import type { LabelRecord } from "../../machine/db/tables/trust/label-record.ts";
import type { ContentLabels } from "./content-labels.ts";
import { Decider, type DeciderDeps, type RuleSettings } from "./decider.ts";
import type { Labels } from "./labels.ts";
import { CallFiles } from "./paths/file-rules.ts";
import type { Decision } from "./rules.ts";
import { settledAction } from "./settled-action.ts";

/** May this call run: the one decision point for list, search and call. */
export class Watchdog {
  /** The rules themselves, for explanations. */
  readonly decider: Decider;
  readonly #labels: Labels;
  readonly #contentLabels: ContentLabels;

  constructor(
    deps: Omit<DeciderDeps, "labelsOf"> & { readonly labels: Labels; readonly contentLabels: ContentLabels },
  ) {
    this.#labels = deps.labels;
    this.#contentLabels = deps.contentLabels;
    this.decider = new Decider({ ...deps, labelsOf: (caller) => this.#labels.of(caller) });
  }

  /** A person is nobody they would have to ask; what is denied stays denied. */
  decide(tool: Tool, caller: Caller, args?: Readonly<Record<string, unknown>>): Decision {
    const decision = this.decider.decide(tool, caller, args);
    if (decision.action !== "ask") return decision;
    // Whether an agent is headless is looked at when somebody would be asked, and a call that waits is asked about anew.
    const action = settledAction(decision.action, { operator: caller.operator, headless: false });
    return action === "ask" ? decision : { ...decision, action };
  }

  /** The same for files that the call comes to; worked out when the tool asks for the first. */
  files(tool: Tool, caller: Caller, args: Readonly<Record<string, unknown>>): FileRules {
    return new CallFiles(() => this.decider.files(tool, caller, args));
  }

  /** Every call of it is denied, whatever its arguments: then it is not there at all. */
  isHidden(tool: Tool, caller: Caller): boolean {
    return this.decider.isHidden(tool, caller);
  }

  /** The caller's conversation, where there are rules for it alone; else null. */
  ruledConversation(caller: Caller): string | null {
    return this.decider.hasConversationRules(caller) ? caller.conversation : null;
  }

  /** What the caller's conversation has come in touch with. */
  labels(caller: Caller): ReadonlySet<string> {
    return this.#labels.of(caller);
  }

  /** The caller's conversation is about to read what the tool gave; `labels`: those of what it gave this time. */
  read(caller: Caller, tool: Tool, labels?: readonly string[]): void {
    this.#labels.read(caller, tool, labels);
  }

  /** The labels of what agents left behind, by its ids. */
  labelsOfContent(ids: readonly string[]): Promise<readonly string[]> {
    return this.#contentLabels.of(ids);
  }

  /** The caller left these behind. */
  wroteContent(caller: Caller, ids: readonly string[]): Promise<void> {
    return this.#contentLabels.wrote(caller, ids);
  }

  /** Every conversation that has labels, newest first. */
  labelled(): readonly LabelRecord[] {
    return this.#labels.list();
  }

  /** Resolves with the number of conversations that had some. */
  clearLabels(agentId: string, conversation?: string): Promise<number> {
    return this.#labels.clear(agentId, conversation);
  }

  /** False: no call of it is asked about, whatever its arguments. */
  mayAsk(tool: Tool, caller: Caller): boolean {
    return !caller.operator && this.decider.rules.mayAsk(tool, this.decider.more(caller));
  }

  apply(settings: RuleSettings): void {
    this.decider.apply(settings);
  }
}
