/**
 * Offers besides tools: resources, resource templates and prompts. Anything that has offers implements this interface.
 * As with tools, the catalogue knows nothing else about its origin.
 */

import type { Result } from "../lib/result.ts";
import type { ToolContext, ToolResult, ToolStatus } from "./tool.ts";

export const OFFER_KINDS = ["resource", "resource_template", "prompt"] as const;
export type OfferKind = (typeof OFFER_KINDS)[number];

/** The published definition. Only the field that identifies it is guaranteed. */
export type OfferDefinition = Readonly<Record<string, unknown>>;

export interface Offered {
  readonly kind: OfferKind;
  /** The name at its origin: a URI, a URI template, the name of a prompt. */
  readonly key: string;
  /** The name among all origins: a unique name for a prompt, otherwise the same as `key`. */
  readonly name: string;
  readonly definition: OfferDefinition;
}

/** The abilities that an origin declares. */
export interface OfferAbilities {
  readonly resources: boolean;
  /** It announces changes of single resources. */
  readonly subscribe: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
  /** Its tools may continue as tasks, for a caller that follows them. */
  readonly tasks: boolean;
}

/** The argument to complete and the text typed so far, in the terms of MCP. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Values already chosen for other arguments. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** Parameters of `notifications/resources/updated`, with the origin's URI. */
export interface ResourceUpdate {
  readonly uri: string;
  readonly [field: string]: unknown;
}

/**
 * One origin of offers in its current state. The three uses resolve for everything that a caller, a server or a person
 * can cause. Their output is the whole answer, in `structured`.
 */
export interface OfferOrigin {
  /** See `Tool.origin`: `mcp:<server>`. */
  readonly origin: string;
  /** The server's name. */
  readonly name: string;
  /** Nobody vouches for it: see `Tool.untrusted`. */
  readonly untrusted: boolean;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  readonly abilities: OfferAbilities;
  readonly offers: readonly Offered[];
  /**
   * Resolves once `offers` were listed for the first time, within a few seconds; undefined if there is nothing to wait
   * for.
   */
  pending(): Promise<void> | undefined;
  status(): ToolStatus;
  readResource(uri: string, context: ToolContext): Promise<ToolResult>;
  getPrompt(name: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
  complete(asked: CompletionRequest, context: ToolContext): Promise<ToolResult>;
  /**
   * Calls `onUpdate` whenever the resource changed, or may have changed unnoticed, until the signal aborts. Resolves
   * once updates are active; an error says why there will be none.
   */
  watch(
    uri: string,
    onUpdate: (update: ResourceUpdate) => void,
    signal: AbortSignal,
  ): Promise<Result<undefined, string>>;
}

export interface OfferSource {
  /** The current origins, from memory, sorted by name. The same array until something changes. */
  origins(): readonly OfferOrigin[];
  /** Calls `listener` after `origins()` changed. Returns the function that stops it. */
  onOffersChange(listener: () => void): () => void;
}
