import type { Caller } from "../../contract/caller.ts";
import { output, toolOf } from "../../contract/define-tool.ts";
import type { Tool, ToolResult } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { nearest } from "../../lib/nearest.ts";
import { questionDigest } from "../questions/question-request.ts";
import type { Questions } from "../questions/questions.ts";
import type { Catalog } from "./catalog.ts";
import { fitsContext, isInScope } from "./grants.ts";
import { contextMismatch } from "./resolve.ts";

export interface AccessDeps {
  readonly catalog: () => Pick<Catalog, "get" | "isHidden" | "resolve" | "discoverable">;
  readonly questions: Pick<Questions, "ask" | "findSettled">;
  /** The agent's single grants as of now; those of the caller may be outdated. */
  readonly grantsOf: (agentId: string) => readonly string[];
  readonly clock: Clock;
}

interface Args {
  readonly tools: readonly string[];
  readonly reason: string;
}

/** The answer about one requested tool. */
interface Reply {
  readonly tool: string;
  readonly state:
    | "granted"
    | "pending"
    | "refused"
    | "unknown"
    | "planned"
    | "denied"
    | "unsuitable"
    | "unavailable";
  readonly message: string;
  readonly questionId?: string;
}

const NAME = "request_tool_access";
const MAX_TOOLS = 10;
const MAX_DESCRIPTION = 1_000;
/** How long a person's refusal stands before the same may be asked again. */
const REFUSAL_STANDS_MS = 60 * 60 * 1_000;

export function requestAccessTool(deps: AccessDeps): Tool {
  return toolOf<Args>(
    {
      name: NAME,
      title: "Ask for tools",
      domain: "toolboxes",
      description:
        "Ask a person for tools that you may not call yet; list_tools with scope `all` names them. The person decides about each one. While they have not, call again with the same arguments to learn what they decided.",
      properties: {
        tools: {
          type: "array",
          minItems: 1,
          maxItems: MAX_TOOLS,
          uniqueItems: true,
          items: { type: "string", minLength: 1, maxLength: 64 },
          description: "Full names of tools.",
        },
        reason: {
          type: "string",
          minLength: 1,
          maxLength: 1_000,
          description: "What you need them for; shown to the person.",
        },
      },
      required: ["tools", "reason"],
      scope: "tools",
      async run({ tools, reason }, { caller }) {
        const replies: Reply[] = [];
        for (const name of tools) replies.push(await replyTo(name, reason, caller, deps));
        return renderReplies(replies);
      },
    },
    { origin: "native", floor: true, wildcard: true },
    () => undefined,
  );
}

async function replyTo(name: string, reason: string, caller: Caller, deps: AccessDeps): Promise<Reply> {
  const catalog = deps.catalog();
  const tool = catalog.get(name);
  if (!tool || !mayKnowOf(tool, caller, deps))
    return { tool: name, state: "unknown", message: unknownMessage(name, caller, catalog) };
  return (
    replyWithoutAsking(tool, caller, deps) ??
    (await findRecentRefusal(name, caller, deps)) ??
    (await askPerson(tool, reason, caller, deps))
  );
}

/**
 * Whether the caller may learn that the tool exists and what its state is. Only agents that have a tool learn that it
 * is held, disabled or denied; to others it is reported as unknown.
 */
function mayKnowOf(tool: Tool, caller: Caller, { catalog, grantsOf }: AccessDeps): boolean {
  if (tool.status().kind === "planned" || isOffered(tool, caller, catalog())) return true;
  const resolved = catalog().resolve(tool.name, caller);
  const isGranted = resolved.ok || resolved.error.outcome !== "not_granted";
  return isGranted || grantsOf(caller.agentId).includes(tool.name);
}

/** Whether `list_tools` with scope `all` lists the tool. */
function isOffered(tool: Tool, caller: Caller, catalog: Pick<Catalog, "isHidden">): boolean {
  const { kind } = tool.status();
  return (kind === "active" || kind === "unavailable") && !catalog.isHidden(tool, caller);
}

/** The reply where no person is needed: the agent has the tool already, or a yes would not help. */
function replyWithoutAsking(
  tool: Tool,
  caller: Caller,
  { catalog, grantsOf }: AccessDeps,
): Reply | undefined {
  const reply = (state: Reply["state"], message: string): Reply => ({ tool: tool.name, state, message });
  const status = tool.status();
  if (catalog().isHidden(tool, caller))
    return reply("denied", "a rule denies it; only a person can change the rule");
  if (status.kind === "planned") return reply("planned", status.reason);
  if (!fitsContext(tool, caller)) return reply("unsuitable", contextMismatch(tool, caller));
  if (!isInScope(tool, caller))
    return reply("unsuitable", `your token lacks the scope ${tool.scope}; a person can make another`);
  if (status.kind === "disabled" || status.kind === "pending_approval")
    return reply("unavailable", status.reason);
  const isOwn = catalog().resolve(tool.name, caller).ok || grantsOf(caller.agentId).includes(tool.name);
  return isOwn ? reply("granted", "you have it; call it") : undefined;
}

async function findRecentRefusal(
  name: string,
  caller: Caller,
  { questions, clock }: AccessDeps,
): Promise<Reply | undefined> {
  const last = await questions.findSettled(identityOf(name, caller), clock() - REFUSAL_STANDS_MS);
  return last?.state === "used" && last.answer !== "grant" ? refusalReply(name) : undefined;
}

async function askPerson(tool: Tool, reason: string, caller: Caller, deps: AccessDeps): Promise<Reply> {
  const { name, description, origin } = tool;
  const answer = await deps.questions.ask(
    {
      kind: "access",
      ...identityOf(name, caller),
      agentName: caller.agentName,
      prompt: `May ${caller.agentName} have the tool ${name}? It says: ${JSON.stringify(reason)}`,
      details: { tool: name, reason, origin, description: shorten(description), flags: tool.flags },
    },
    { waitMs: 0 },
  );
  switch (answer.kind) {
    case "pending": {
      const message = `a person is asked (toolkeep question answer ${answer.id} grant)`;
      return { tool: name, state: "pending", message, questionId: answer.id };
    }
    case "too_many": {
      const message = `you already have ${answer.limit} unanswered questions; ask again when some are answered`;
      return { tool: name, state: "unavailable", message };
    }
    case "dismissed":
    case "rejected":
    case "headless":
      return refusalReply(name);
    case "too_long": {
      const message = `what a person would be shown is longer than ${answer.limit} characters; give a shorter reason`;
      return { tool: name, state: "unavailable", message };
    }
    case "answered":
      if (answer.answer !== "grant") return refusalReply(name);
      return deps.grantsOf(caller.agentId).includes(name)
        ? { tool: name, state: "granted", message: "a person granted it; call it" }
        : { tool: name, state: "refused", message: "a person granted it and has withdrawn it since" };
  }
}

/** The beginning of a long description, and how much more there is. */
function shorten(description: string): string {
  const more = description.length - MAX_DESCRIPTION;
  return more > 0 ? `${description.slice(0, MAX_DESCRIPTION)}… (${more} characters more)` : description;
}

/** One question per agent and tool, whatever the reason. */
function identityOf(
  name: string,
  { agentId }: Caller,
): { readonly agentId: string; readonly digest: string } {
  return { agentId, digest: questionDigest(agentId, NAME, name) };
}

function refusalReply(tool: string): Reply {
  const message = "a person said no; do without it, and do not ask again within the hour";
  return { tool, state: "refused", message };
}

function unknownMessage(
  name: string,
  caller: Caller,
  catalog: Pick<Catalog, "isHidden" | "discoverable">,
): string {
  const offered = catalog.discoverable(caller).filter((tool) => isOffered(tool, caller, catalog));
  const near = nearest(
    name,
    offered.map((tool) => tool.name),
  );
  return `no tool has this name${near ? `; did you mean ${near}?` : "; list_tools with scope all lists the tools that exist"}`;
}

function renderReplies(replies: readonly Reply[]): ToolResult {
  const text = replies.map(({ tool, state, message }) => `${tool}: ${state}: ${message}`).join("\n");
  const questionId = replies.find((reply) => reply.state === "pending")?.questionId;
  if (questionId !== undefined) {
    const next = `Call ${NAME} again with the same arguments once a person has answered.`;
    return { kind: "needs_input", questionId, message: `${text}\n${next}` };
  }
  const structured = { tools: replies };
  const isAnyGranted = replies.some((reply) => reply.state === "granted");
  return isAnyGranted ? output(text, structured) : { kind: "failed", message: text, structured };
}
