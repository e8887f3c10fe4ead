import { joinPath } from "../../api/client.ts";
import type { ListedTool, ToolView } from "../../api/contract.ts";
import { Badge, StateMark, type Tone } from "../../ui/badge.tsx";
import { TextLink } from "../../ui/link.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

type Flags = ToolView["flags"];
type State = ToolView["status"]["kind"];

/** What a tool does to the world, in words. */
const KINDS = {
  read_only: { label: "Only reads", tone: "neutral" },
  other: { label: "Changes things", tone: "neutral" },
  destructive: { label: "May destroy", tone: "warn" },
} as const satisfies Record<string, { label: string; tone: Tone }>;

/** For the filter of a list. */
export const KIND_OPTIONS = [
  ...Object.entries(KINDS).map(([id, { label }]) => [id, label] as const),
  ["floor", "Every agent has it"],
  ["untrusted", "Untrusted server"],
] as const;

export function KindBadge({ flags }: { flags: Flags }) {
  const kind = kindOf(flags);
  const { label, tone } = KINDS[kind];
  if (kind === "read_only") return <span className="text-soft">{label}</span>;
  return <Badge tone={tone}>{label}</Badge>;
}

export function kindOf({ readOnly, destructive }: Flags): keyof typeof KINDS {
  if (destructive) return "destructive";
  return readOnly ? "read_only" : "other";
}

const STATES: Record<State, { readonly label: string; readonly tone: Tone }> = {
  active: { label: "Ready", tone: "ok" },
  unavailable: { label: "Away", tone: "bad" },
  pending_approval: { label: "Waits for you", tone: "warn" },
  disabled: { label: "Off", tone: "neutral" },
  planned: { label: "Not there yet", tone: "neutral" },
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

/** Where a tool comes from, in words. */
export function originWords(origin: string): string {
  const [kind, ...rest] = origin.split(":");
  const name = rest.join(":");
  switch (kind) {
    case "mcp":
      return name;
    case "plugin":
      return `plugin ${name}`;
    case "custom":
      return "your scripts";
    case "platform":
      return "Toolkeep itself";
    default:
      return "built in";
  }
}

/** The same, leading to the server where it is one. */
export function Origin({ origin }: { origin: string }) {
  const words = <UntrustedText text={originWords(origin)} line />;
  if (!origin.startsWith("mcp:")) return words;
  return <TextLink to={joinPath("servers", origin.slice("mcp:".length))}>{words}</TextLink>;
}

export function ToolName({ name }: { name: string }) {
  return <UntrustedText text={name} mono line />;
}

/** One line of what it does. */
export function ToolLine({ tool }: { tool: Pick<ListedTool, "description" | "title"> }) {
  return <UntrustedText text={tool.description || (tool.title ?? "")} line />;
}

/** 940, 1.2k, 128k */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

const DECISIONS: Record<"allow" | "ask" | "deny", { readonly label: string; readonly tone: Tone }> = {
  allow: { label: "Runs", tone: "ok" },
  ask: { label: "Asks a person first", tone: "warn" },
  deny: { label: "Never runs", tone: "bad" },
};

/** What the rules say to a call. */
export function DecisionMark({ decision, rule }: { decision: "allow" | "ask" | "deny"; rule?: string }) {
  const { label, tone } = DECISIONS[decision];
  return (
    <StateMark tone={tone} {...(rule === undefined ? {} : { title: rule })}>
      {label}
    </StateMark>
  );
}

/** `floor`, `toolbox NAME (pattern)`, `grant`, as people say it. */
export function sourceWords(source: string): string {
  if (source === "floor") return "every agent has it";
  if (source.startsWith("grant")) return `given by name${source.slice("grant".length)}`;
  return source;
}

export function GrantSources({ sources }: { sources: readonly string[] }) {
  return <UntrustedText text={sources.map(sourceWords).join(", ")} line />;
}
