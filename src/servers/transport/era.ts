import type { DiscoverResult, ServerCapabilities } from "@modelcontextprotocol/client";
import type { OfferAbilities } from "../../contract/offer.ts";
import { followsTasks } from "../connection/tasks.ts";

/** The protocol revision that a server was found to speak; stored, so that the next connection needs no probe. */
export interface Era {
  readonly era: "legacy" | "modern";
  readonly version: string;
  readonly at: number;
  /** A modern server's answer to the probe. */
  readonly discover?: DiscoverResult;
  /** The parts of MCP besides tools that the server declares. */
  readonly declares?: OfferAbilities;
  /** Set if a server registered as `http` speaks only this. */
  readonly transport?: "sse";
}

/** Connecting never disproves a legacy verdict, so it expires. */
const FRESH_MS = 7 * 24 * 3600 * 1000;

export function keepIfFresh(era: Era | null, now: number): Era | null {
  return era !== null && now - era.at < FRESH_MS ? era : null;
}

export function readAbilities(capabilities: ServerCapabilities = {}): OfferAbilities {
  const { resources, prompts, completions, logging } = capabilities;
  return {
    resources: resources !== undefined,
    subscribe: resources?.subscribe === true,
    prompts: prompts !== undefined,
    completions: completions !== undefined,
    logging: logging !== undefined,
    tasks: followsTasks(capabilities),
  };
}
