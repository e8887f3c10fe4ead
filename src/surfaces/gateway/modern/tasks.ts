import { SealedText } from "../../../call/vault/sealed-text.ts";
import type { Vault } from "../../../call/vault/vault.ts";
import type { Caller } from "../../../contract/caller.ts";
import type { Task, TaskRequest, ToolOutcome } from "../../../contract/tool.ts";
import type { Hub } from "../../../hub.ts";
import { isRecord } from "../../../lib/json.ts";
import { followsTasks, TASKS } from "../../../servers/connection/tasks.ts";
import {
  invalidParams,
  META,
  metaOf,
  type Params,
  RPC,
  type RpcFault,
  type RpcRequest,
} from "../messages.ts";
import { type Answered, callOf, type Exchange } from "../methods.ts";
import type { OwnIdentity } from "../serving.ts";

export interface TasksDeps {
  readonly hub: Pick<Hub, "callTool" | "offers">;
  readonly vault: Pick<Vault, "seal" | "unseal">;
  readonly identity: OwnIdentity;
}

/** What is asked about a task, by method. */
const ACTIONS: Readonly<Record<string, TaskRequest["action"]>> = {
  "tasks/get": "get",
  "tasks/update": "update",
  "tasks/cancel": "cancel",
};

/** Work that goes on after the call that began it, for clients of 2026-07-28 that follow it (MCP tasks). */
export class Tasks {
  readonly #deps: TasksDeps;
  readonly #ids: SealedText<KnownTask>;

  constructor(deps: TasksDeps) {
    this.#deps = deps;
    this.#ids = new SealedText(deps.vault, PURPOSE, MAX_LENGTH);
  }

  /** What is said of it to a caller: nothing where no server that it sees has any. */
  extensionsFor(caller: Caller): Params {
    return this.#deps.hub.offers.abilitiesFor(caller).tasks ? { extensions: { [TASKS]: {} } } : {};
  }

  isMethod(method: string, caller: Caller): boolean {
    return Object.hasOwn(ACTIONS, method) && this.#deps.hub.offers.abilitiesFor(caller).tasks;
  }

  /** The answer to a call that goes on. Its server keeps the task; the client gets an id that only it can use. */
  begun(tool: string, { caller }: Pick<Exchange, "caller">, { id, state }: Task): string {
    const taskId = this.#ids.seal({ id, tool, for: ownerOf(caller) });
    const { _meta } = this.#deps.identity.complete(state);
    return JSON.stringify({ ...state, taskId, resultType: "task", _meta });
  }

  async serve(request: RpcRequest, exchange: Exchange): Promise<Answered> {
    const { params } = request;
    const declared = metaOf(params)[META.clientCapabilities];
    const capabilities = isRecord(declared) ? declared : {};
    if (!followsTasks(capabilities)) return NOT_FOLLOWED;
    const task = this.#open(params.taskId, exchange.caller);
    if (!task) return invalidParams("there is no such task");
    const action = ACTIONS[request.method]!;
    if (action === "update" && !isRecord(params.inputResponses))
      return invalidParams("inputResponses must hold the answers");

    const answers = action === "update" ? { answers: params.inputResponses } : {};
    const asked = { kind: "task", name: task.tool, arguments: { id: task.id, action, ...answers } } as const;
    const outcome = await this.#deps.hub.callTool(
      callOf(request, asked, { ...exchange, rounds: { capabilities } }),
    );
    if (outcome.outcome !== "ok") return faultOf(outcome);
    const named = action === "get" ? { taskId: params.taskId } : {};
    return JSON.stringify(this.#deps.identity.complete({ ...outcome.structured, ...named }));
  }

  /** Undefined for what was not given out, or to somebody else. */
  #open(text: unknown, caller: Caller): KnownTask | undefined {
    const known = this.#ids.open(text);
    return known?.for === ownerOf(caller) ? known : undefined;
  }
}

/** Sealed into the id that a client gets, so that any replica can serve it. */
interface KnownTask {
  /** At its server. */
  readonly id: string;
  /** That began it, by the name that the client knows. */
  readonly tool: string;
  readonly for: string;
}

const PURPOSE = "toolkeep/task";
const MAX_LENGTH = 16 * 1024;

/** A task is its token's, at the address where it was begun. */
function ownerOf({ agentId, tokenId, narrowing }: Caller): string {
  return JSON.stringify([agentId, tokenId, narrowing ?? null]);
}

const NOT_FOLLOWED: RpcFault = {
  code: RPC.missingCapability,
  message: `the client must declare the extension ${TASKS} with this request`,
  data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
};

/** A tool that was taken away takes its tasks with it. */
function faultOf({ outcome, error, text, fault }: ToolOutcome): RpcFault {
  if (fault) return fault;
  const message = error?.message ?? text;
  const isGone = ["unknown_tool", "not_granted", "denied", "invalid_arguments"].includes(outcome);
  return { code: isGone ? RPC.invalidParams : RPC.internalError, message, data: { outcome } };
}
