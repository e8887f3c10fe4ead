import { joinPath } from "../../api/client.ts";
import type { ListedTool, ToolView } from "../../api/contract.ts";
import { Badge, StateMark, type Tone } from "../../ui/badge.tsx";
import { TextLink } from "../../ui/link.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

type Flags = ToolView["flags"];
type State = ToolView["status"]["kind"];

/** How far a tool's effects go. */
const KINDS = {
  read_only: { label: "Read-only", tone: "neutral" },
  other: { label: "Makes changes", tone: "neutral" },
  destructive: { label: "Destructive", tone: "warn" },
} as const satisfies Record<string, { label: string; tone: Tone }>;

/** The options of the kind filter. */
export const KIND_OPTIONS = [
  ...Object.entries(KINDS).map(([id, { label }]) => [id, label] as const),
  ["floor", "Every agent has it"],
  ["untrusted", "Untrusted server"],
] as const;

export function KindBadge({ flags }: { flags: Flags }) {
  const kind = getToolKind(flags);
  const { label, tone } = KINDS[kind];
  if (kind === "read_only") return <span className="text-soft">{label}</span>;
  return <Badge tone={tone}>{label}</Badge>;
}

export function getToolKind({ readOnly, destructive }: Flags): keyof typeof KINDS {
  if (destructive) return "destructive";
  return readOnly ? "read_only" : "other";
}

const STATES: Record<State, { readonly label: string; readonly tone: Tone }> = {
  active: { label: "Ready", tone: "ok" },
  unavailable: { label: "Unavailable", tone: "bad" },
  pending_approval: { label: "Needs approval", tone: "warn" },
  disabled: { label: "Disabled", tone: "neutral" },
  planned: { label: "Planned", tone: "neutral" },
};

export const STATE_OPTIONS = Object.entries(STATES).map(([id, { label }]) => [id, label] as const);

export function ToolStateMark({ status }: { status: ToolView["status"] }) {
  const { label, tone } = STATES[status.kind];
  return (
    <StateMark tone={tone} {...(status.kind === "active" ? {} : { title: status.reason })}>
      {label}
    </StateMark>
  );
}

/** The source of a tool, as people read it. */
export function formatOrigin(origin: string): string {
  const [kind, ...rest] = origin.split(":");
  const name = rest.join(":");
  switch (kind) {
    case "mcp":
      return name;
    case "plugin":
      return `plugin ${name}`;
    case "custom":
      return "Custom tools";
    case "platform":
      return "Toolkeep";
    default:
      return "Built-in";
  }
}

/** The source of a tool, linked when it is a server. */
export function Origin({ origin }: { origin: string }) {
  const label = <UntrustedText text={formatOrigin(origin)} line />;
  if (!origin.startsWith("mcp:")) return label;
  return <TextLink to={joinPath("servers", origin.slice("mcp:".length))}>{label}</TextLink>;
}

export function ToolName({ name }: { name: string }) {
  return <UntrustedText text={name} mono line />;
}

/** The description of a tool on one line. */
export function ToolDescription({ tool }: { tool: Pick<ListedTool, "description" | "title"> }) {
  return <UntrustedText text={tool.description || (tool.title ?? "")} line />;
}

/** 940, 1.2k, 128k */
export function formatCompact(count: number): string {
  if (count < 1_000) return String(count);
  return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`;
}

export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

const DECISIONS: Record<"allow" | "ask" | "deny", { readonly label: string; readonly tone: Tone }> = {
  allow: { label: "Allowed", tone: "ok" },
  ask: { label: "Asks first", tone: "warn" },
  deny: { label: "Denied", tone: "bad" },
};

/** The decision of the rules about a call. */
export function DecisionMark({ decision, rule }: { decision: "allow" | "ask" | "deny"; rule?: string }) {
  const { label, tone } = DECISIONS[decision];
  return (
    <StateMark tone={tone} {...(rule === undefined ? {} : { title: rule })}>
      {label}
    </StateMark>
  );
}

/** Rewords the API's grant sources: `floor`, `toolbox NAME (pattern)`, `grant`. */
export function formatGrantSource(source: string): string {
  if (source === "floor") return "every agent has it";
  if (source.startsWith("grant")) return `granted by name${source.slice("grant".length)}`;
  return source;
}

export function GrantSources({ sources }: { sources: readonly string[] }) {
  return <UntrustedText text={sources.map(formatGrantSource).join(", ")} line />;
}
