/** Rules as sentences. `test/surfaces/api/rules-agree.test.ts` checks that rules with the same sentence decide alike. */
import type { RuleInput, RuleView } from "../../api/contract.ts";

type Pattern = RuleView["pattern"] | undefined;

const SUBJECTS: Readonly<Record<string, string>> = {
  path: "the path",
  host: "the host",
  command: "the command",
};

function describePattern(pattern: Pattern): string {
  if (pattern === null || pattern === undefined) return "";
  if (typeof pattern === "string") return `a value in the call matches ${pattern}`;
  return Object.entries(pattern)
    .map(([name, globs]) => {
      const subject = SUBJECTS[name] ?? `the argument ${name.replace(/^arg\./, "")}`;
      return `${subject} matches ${[globs].flat().join(" or ")}`;
    })
    .join(" and ");
}

/** Capabilities, as `permission` names them. */
export const CAPABILITY_PHRASES: Readonly<Record<string, string>> = {
  "fs.read": "a tool that reads files",
  "fs.write": "a tool that writes files",
  net: "a tool that uses the network",
  shell: "a tool that runs commands",
  secrets: "a tool that uses secrets",
  people: "a tool that asks people",
  agents: "a tool that manages agents",
  admin: "a tool that manages Toolkeep",
};

const PERMISSION_PHRASES: Readonly<Record<string, string>> = {
  ...CAPABILITY_PHRASES,
  "*": "any tool",
  destructive: "a destructive tool",
};

function describePermission(permission: string): string {
  const known = PERMISSION_PHRASES[permission];
  if (known !== undefined) return known;
  const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(permission) ?? [];
  if (server === undefined) return permission;
  return tool === "*" ? `any tool of the server ${server}` : `${tool} of the server ${server}`;
}

interface DescribedRule extends Pick<RuleInput, "permission" | "action"> {
  readonly pattern?: Pattern;
  readonly agent?: string | null;
  readonly conversation?: string | null;
  readonly after?: string | null;
  readonly only?: RuleView["only"];
  readonly except?: readonly string[];
  readonly unless?: Pattern;
  readonly final?: boolean;
}

/** Describes a rule in one sentence. */
export function describeRule({
  permission,
  action,
  pattern,
  agent,
  conversation,
  after,
  only,
  except = [],
  unless,
  final,
}: DescribedRule): string {
  const who = agent ?? "any agent";
  const tools = describePermission(permission);
  const condition = describePattern(pattern);
  const exception = describePattern(unless);
  const rest = [
    only === "untrusted" && "if its server is untrusted",
    except.length > 0 && `except ${except.join(" and ")}`,
    condition && `when ${condition}`,
    exception && `unless ${exception}`,
    after && `once the conversation is labeled ${after}`,
    conversation && `in the conversation ${conversation}`,
  ].filter(Boolean);
  const tail = rest.length === 0 ? "" : `, ${rest.join(", ")}`;
  if (action === "allow") return `Let ${who} call ${tools}${tail}.`;
  if (action === "ask") return `Ask a person before ${who} calls ${tools}${tail}.`;
  return `Never let ${who} call ${tools}${tail}${final ? "; no other rule can override this" : ""}.`;
}
