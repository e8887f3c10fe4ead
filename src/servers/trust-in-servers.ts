import type { Capability } from "../contract/tool.ts";
import type { ServerChanges } from "./trust/change-view.ts";
import type { Finding } from "./trust/definitions/scan-text.ts";

/** What a person decides about. */
export interface Deciding {
  /** Names, as the server or as agents have them; absent: everything that waits. */
  readonly names?: readonly string[];
  /** `ServerChanges.version` that the person looked at. */
  readonly seen?: string;
}

export interface ToolFindings {
  readonly tool: string;
  readonly findings: readonly Finding[];
}

interface OwnTool {
  readonly origin: string;
  readonly ownName: string;
}

/** What people see and decide of what servers publish. Everything that takes a server's name throws NOT_FOUND. */
export interface TrustInServers {
  /** What the server publishes that nobody has accepted. */
  changes(name: string): Promise<ServerChanges>;
  /** Throws CHANGED where it is no longer what the person saw, NOT_FOUND for a name that nothing waits under. */
  decide(name: string, decision: "accept" | "reject", deciding?: Deciding): Promise<ServerChanges>;
  /** What to look at in what the server says; of what is kept back, `changes` has it. */
  findings(name: string): Promise<readonly ToolFindings[]>;
  /** The same of one tool; of what is no server's tool there is none. */
  findingsOf(tool: OwnTool): readonly Finding[];
  /** What a tool can do, whatever its definition says; null: what it says. Throws BAD_REQUEST for what is no server's tool. */
  setCapabilities(tool: OwnTool, capabilities: readonly Capability[] | null): Promise<void>;
  /** Whether a person said what a tool can do. */
  isCorrected(tool: OwnTool): boolean;
}
