import type { Capability, OutcomeName, Tool, ToolStatus } from "../../../contract/tool.ts";
import type { Finding, ListedTool, ToolView } from "../../../contract/tool-shapes.ts";

/** What `/api/tools`, `/api/tool-search` and `/api/call` take and give, types only. */

/** Conditions on tools; all of those that are given must be met. */
export interface ToolFilter {
  /** `native`, `platform`, `custom`, `plugin:NAME` or `mcp:SERVER`; `mcp` and `plugin` for all of them. */
  readonly origin?: string;
  /** The same as `origin=mcp:SERVER`. */
  readonly server?: string;
  readonly flag?: ToolFlag;
  readonly state?: ToolStatus["kind"];
}

export type ToolFlag = "read_only" | "destructive" | "floor" | "untrusted" | "other";

/** `GET /api/tools` */
export interface ToolQuery extends ToolFilter {
  /** Only what this agent sees. */
  readonly agent?: string;
  /** Only those whose name or title has this in it. */
  readonly text?: string;
  /** Descriptions are cut. */
  readonly brief?: boolean;
  /** Default: all. */
  readonly limit?: number;
  readonly offset?: number;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** How many there are, on this page or not. */
  readonly total: number;
  /** Where the tools come from that the agent sees, whatever else is asked for. */
  readonly origins: readonly OriginCount[];
}

export interface OriginCount {
  readonly origin: string;
  readonly tools: number;
}

export interface ToolDetail extends ToolView {
  readonly inputSchema: Tool["inputSchema"];
  readonly outputSchema?: NonNullable<Tool["outputSchema"]>;
  readonly timeoutMs: number;
  /** About how many tokens it takes in the list of a model. */
  readonly tokens: number;
  /** A list may leave it to `tool_search`. */
  readonly deferrable: boolean;
  /** What it can do outside its call, for rules. */
  readonly capabilities: readonly Capability[];
  /** What to look at in what it says of itself. */
  readonly findings: readonly Finding[];
  /** A person said what it can do. */
  readonly corrected: boolean;
  /** It comes from an untrusted server. */
  readonly untrusted: boolean;
  /** What people should know: that its schema cannot be used, for one. */
  readonly warnings: readonly string[];
  /** The toolboxes that give it, and the agents that may call it. */
  readonly toolboxes: readonly string[];
  readonly agents: readonly string[];
}

export interface ToolAnswer {
  readonly tool: ToolDetail;
}

/** `GET /api/tools/:name/use`: who has it and through what, and how its calls went lately. */
export interface ToolUse {
  readonly tool: string;
  readonly agents: readonly ToolHolder[];
  readonly since: number;
  readonly calls: CallSummary;
  /** Who called it, most calls first. */
  readonly callers: readonly CallerSummary[];
}

/** An agent that has a tool, or had it but for a rule. */
export interface ToolHolder {
  readonly agent: string;
  readonly grantedBy: readonly string[];
  /** In the list that a conversation begins with; else `tool_search` finds it. */
  readonly listed: boolean;
  /** What the rules say to a call whose arguments nobody looks at. */
  readonly decision: "allow" | "ask" | "deny";
  readonly rule: string;
}

/** Of the newest calls, at most 1,000. */
export interface CallSummary {
  readonly counted: number;
  /** There were more calls than are counted. */
  readonly more: boolean;
  /** Those that reached the tool and did not end well. */
  readonly failed: number;
  /** Those that were refused before they reached it. */
  readonly refused: number;
  /** Of those that reached it; null where none did. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly outcomes: Readonly<Partial<Record<OutcomeName, number>>>;
}

export interface CallerSummary {
  readonly agent: string;
  readonly calls: number;
  readonly failed: number;
  readonly lastAt: number;
}

/** `GET /api/tool-search` */
export interface ToolSearchQuery extends ToolFilter {
  readonly query: string;
  /** Absent: the operator, who has every tool. */
  readonly agent?: string;
  readonly limit?: number;
}

/** What `tool_search` finds for an agent, best first, with reasons; nothing is noted of it. */
export interface ToolSearchAnswer {
  readonly matches: readonly ToolMatch[];
  /** How many tools were searched. */
  readonly among: number;
  /** Of `select:`. */
  readonly notFound: readonly string[];
  readonly ambiguous: readonly string[];
}

export interface ToolMatch {
  readonly tool: ListedTool;
  /** Comparable within one search only; 0 for what the query names. */
  readonly score: number;
  readonly why: SearchReason;
  /** Tools of other servers that do the same. */
  readonly alike: readonly string[];
}

/** The parts of a score. */
export interface SearchReason {
  /** The query is its name. */
  readonly named: boolean;
  readonly words: readonly WordReason[];
  /** For how much of its name the query says. */
  readonly coverage: number;
  readonly meaning: number;
  /** For what was called after such searches before. */
  readonly learned: number;
}

export interface WordReason {
  readonly word: string;
  /** It stands in for a word that no tool has. */
  readonly standsIn: boolean;
  readonly fields: readonly string[];
  readonly score: number;
}
