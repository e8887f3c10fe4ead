/**
 * What can be had beside tools: resources, templates of resources, prompts. Whoever offers them implements this; the
 * catalogue knows nothing else about what stands behind it, as with tools.
 */

import type { Result } from "../lib/result.ts";
import type { ToolContext, ToolResult, ToolStatus } from "./tool.ts";

export const OFFER_KINDS = ["resource", "resource_template", "prompt"] as const;
export type OfferKind = (typeof OFFER_KINDS)[number];

/** As published; only the field that tells it apart from others is certain. */
export type OfferDefinition = Readonly<Record<string, unknown>>;

export interface Offered {
  readonly kind: OfferKind;
  /** What its origin calls it: a URI, a URI template, the name of a prompt. */
  readonly key: string;
  /** Among all origins: of a prompt a name that no other prompt has, else the same as `key`. */
  readonly name: string;
  readonly definition: OfferDefinition;
}

/** What an origin declares that it can do. */
export interface OfferAbilities {
  readonly resources: boolean;
  /** Tells when a single resource changed. */
  readonly subscribe: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
  /** Its tools may go on as tasks, for a caller that follows them. */
  readonly tasks: boolean;
}

/** What a value is completed for, and how far it is written already; as MCP words it. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Values already chosen for other arguments. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** Parameters of `notifications/resources/updated`, by the URI of the origin. */
export interface ResourceUpdate {
  readonly uri: string;
  readonly [field: string]: unknown;
}

/**
 * One place that offers come from, as it is now. The three uses resolve for everything that a caller, a server or a
 * person can cause; their output is the whole answer, in `structured`.
 */
export interface OfferOrigin {
  /** As in `Tool.origin`: `mcp:<server>`. */
  readonly origin: string;
  /** The server's name. */
  readonly name: string;
  /** Nobody vouches for it, as in `Tool.untrusted`. */
  readonly untrusted: boolean;
  readonly timeoutMs: number;
  readonly progressExtendsTimeout: boolean;
  readonly abilities: OfferAbilities;
  readonly offers: readonly Offered[];
  /** Resolves once `offers` were listed for the first time, within a few seconds; undefined where nobody need wait. */
  pending(): Promise<void> | undefined;
  status(): ToolStatus;
  readResource(uri: string, context: ToolContext): Promise<ToolResult>;
  getPrompt(name: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
  complete(asked: CompletionRequest, context: ToolContext): Promise<ToolResult>;
  /**
   * Tells `onUpdate` whenever the resource changed, or may have while nobody could tell, until the signal aborts.
   * Resolves once changes are told; an error says why they will not be.
   */
  watch(
    uri: string,
    onUpdate: (update: ResourceUpdate) => void,
    signal: AbortSignal,
  ): Promise<Result<undefined, string>>;
}

export interface OfferSource {
  /** As of now, from memory, by name; the same array until something changes. */
  origins(): readonly OfferOrigin[];
  /** Calls `listener` after `origins()` changed; returns the function that stops it. */
  onOffersChange(listener: () => void): () => void;
}
