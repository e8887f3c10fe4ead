/** Rules as sentences; `test/surfaces/api/rules-agree.test.ts` holds them to what rules decide. */
import type { RuleInput, RuleView } from "../../api/contract.ts";

type Pattern = RuleView["pattern"] | undefined;

const SUBJECTS: Readonly<Record<string, string>> = {
  path: "the path",
  host: "the host",
  command: "the command",
};

export function patternInWords(pattern: Pattern): string {
  if (pattern === null || pattern === undefined) return "";
  if (typeof pattern === "string") return `something in the call is like ${pattern}`;
  return Object.entries(pattern)
    .map(([name, globs]) => {
      const what = SUBJECTS[name] ?? `the argument ${name.replace(/^arg\./, "")}`;
      return `${what} is like ${[globs].flat().join(" or ")}`;
    })
    .join(" and ");
}

/** What a tool can do outside its call, as `permission` names it. */
export const CAPABILITY_WORDS: Readonly<Record<string, string>> = {
  "fs.read": "a tool that reads files",
  "fs.write": "a tool that writes files",
  net: "a tool that uses the network",
  shell: "a tool that runs commands",
  secrets: "a tool that uses secrets",
  people: "a tool that asks people",
  agents: "a tool that works with agents",
  admin: "a tool that administers Toolkeep",
};

const PERMISSIONS: Readonly<Record<string, string>> = {
  ...CAPABILITY_WORDS,
  "*": "any tool",
  destructive: "a tool that may destroy something",
};

export function permissionInWords(permission: string): string {
  const known = PERMISSIONS[permission];
  if (known !== undefined) return known;
  const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(permission) ?? [];
  if (server === undefined) return permission;
  return tool === "*" ? `any tool of the server ${server}` : `${tool} of the server ${server}`;
}

interface Worded extends Pick<RuleInput, "permission" | "action"> {
  readonly pattern?: Pattern;
  readonly agent?: string | null;
  readonly conversation?: string | null;
  readonly after?: string | null;
  readonly only?: RuleView["only"];
  readonly except?: readonly string[];
  readonly unless?: Pattern;
  readonly final?: boolean;
}

/** The whole rule as a sentence. */
export function ruleInWords({
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
}: Worded): string {
  const who = agent ?? "any agent";
  const of = only === "untrusted" ? " of an untrusted server" : "";
  const what = `${permissionInWords(permission)}${of}`;
  const when = patternInWords(pattern);
  const spared = patternInWords(unless);
  const rest = [
    except.length > 0 && `except ${except.join(" and ")}`,
    when && `when ${when}`,
    spared && `unless ${spared}`,
    after && `once the conversation has come in touch with ${after}`,
    conversation && `in the conversation ${conversation}`,
  ].filter(Boolean);
  const tail = rest.length === 0 ? "" : `, ${rest.join(", ")}`;
  if (action === "allow") return `Let ${who} call ${what}${tail}.`;
  if (action === "ask") return `Ask a person before ${who} calls ${what}${tail}.`;
  return `Never let ${who} call ${what}${tail}${final ? "; nothing may loosen this" : ""}.`;
}
