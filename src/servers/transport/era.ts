import type { DiscoverResult, ServerCapabilities } from "@modelcontextprotocol/client";
import type { OfferAbilities } from "../../contract/offer.ts";
import { followsTasks } from "../connection/tasks.ts";

/** Which revision of the protocol a server speaks, found when it was connected to; kept to spare the next probe. */
export interface Era {
  readonly era: "legacy" | "modern";
  readonly version: string;
  readonly at: number;
  /** What a modern server said about itself. */
  readonly discover?: DiscoverResult;
  /** What it says that it can do beside tools. */
  readonly declares?: OfferAbilities;
  /** Present where a server that was registered as `http` only speaks this. */
  readonly transport?: "sse";
}

/** A legacy verdict is never refuted by connecting, so it is only believed for a while. */
const TRUSTED_MS = 7 * 24 * 3600 * 1000;

export function stillTrusted(era: Era | null, now: number): Era | null {
  return era !== null && now - era.at < TRUSTED_MS ? era : null;
}

export function declared(capabilities: ServerCapabilities = {}): OfferAbilities {
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
