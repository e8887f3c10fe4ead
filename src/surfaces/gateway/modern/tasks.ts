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
  type Params,
  RPC,
  type RpcFault,
  type RpcRequest,
  readMeta,
} from "../messages.ts";
import { buildCall, type Exchange, type MethodAnswer } from "../methods.ts";
import type { OwnIdentity } from "../serving.ts";

export interface ServerTasksDeps {
  readonly hub: Pick<Hub, "callTool" | "offers">;
  readonly vault: Pick<Vault, "seal" | "unseal">;
  readonly identity: OwnIdentity;
}

/** The effect of a method on a task. */
const ACTIONS: Readonly<Record<string, TaskRequest["action"]>> = {
  "tasks/get": "get",
  "tasks/update": "update",
  "tasks/cancel": "cancel",
};

/** Server tasks for modern clients that follow them: work that outlives the call that began it. */
export class ServerTasks {
  readonly #deps: ServerTasksDeps;
  readonly #ids: SealedText<SealedTask>;

  constructor(deps: ServerTasksDeps) {
    this.#deps = deps;
    this.#ids = new SealedText(deps.vault, PURPOSE, MAX_LENGTH);
  }

  /** The extension to declare to a caller: none if no server that it sees has tasks. */
  extensionsFor(caller: Caller): Params {
    return this.#deps.hub.offers.abilitiesFor(caller).tasks ? { extensions: { [TASKS]: {} } } : {};
  }

  isMethod(method: string, caller: Caller): boolean {
    return Object.hasOwn(ACTIONS, method) && this.#deps.hub.offers.abilitiesFor(caller).tasks;
  }

  /** Answers a call that became a task. The server keeps the task; the client gets an id that only it can use. */
  formatBegun(tool: string, { caller }: Pick<Exchange, "caller">, { id, state }: Task): string {
    const taskId = this.#ids.seal({ id, tool, for: toOwnerKey(caller) });
    const { _meta } = this.#deps.identity.completeResult(state);
    return JSON.stringify({ ...state, taskId, resultType: "task", _meta });
  }

  async serve(request: RpcRequest, exchange: Exchange): Promise<MethodAnswer> {
    const { params } = request;
    const declared = readMeta(params)[META.clientCapabilities];
    const capabilities = isRecord(declared) ? declared : {};
    if (!followsTasks(capabilities)) return EXTENSION_REQUIRED;
    const task = this.#unseal(params.taskId, exchange.caller);
    if (!task) return invalidParams("there is no such task");
    const action = ACTIONS[request.method]!;
    if (action === "update" && !isRecord(params.inputResponses))
      return invalidParams("inputResponses must hold the answers");

    const answers = action === "update" ? { answers: params.inputResponses } : {};
    const target = { kind: "task", name: task.tool, arguments: { id: task.id, action, ...answers } } as const;
    const outcome = await this.#deps.hub.callTool(
      buildCall(request, target, { ...exchange, rounds: { capabilities } }),
    );
    if (outcome.outcome !== "ok") return toFault(outcome);
    const idField = action === "get" ? { taskId: params.taskId } : {};
    return JSON.stringify(this.#deps.identity.completeResult({ ...outcome.structured, ...idField }));
  }

  /** Undefined for an id that was not issued, or issued to another caller. */
  #unseal(text: unknown, caller: Caller): SealedTask | undefined {
    const known = this.#ids.open(text);
    return known?.for === toOwnerKey(caller) ? known : undefined;
  }
}

/** Sealed into the client's task id, so that any replica can serve it. */
interface SealedTask {
  /** The task's id at its server. */
  readonly id: string;
  /** The tool that began it, by the name that the client knows. */
  readonly tool: string;
  readonly for: string;
}

const PURPOSE = "toolkeep/task";
const MAX_LENGTH = 16 * 1024;

/** A task belongs to its token, at the address where it began. */
function toOwnerKey({ agentId, tokenId, narrowing }: Caller): string {
  return JSON.stringify([agentId, tokenId, narrowing ?? null]);
}

const EXTENSION_REQUIRED: RpcFault = {
  code: RPC.missingCapability,
  message: `the client must declare the extension ${TASKS} with this request`,
  data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
};

/** The tasks of a tool that was taken away are reported as unknown. */
function toFault({ outcome, error, text, fault }: ToolOutcome): RpcFault {
  if (fault) return fault;
  const message = error?.message ?? text;
  const isGone = ["unknown_tool", "not_granted", "denied", "invalid_arguments"].includes(outcome);
  return { code: isGone ? RPC.invalidParams : RPC.internalError, message, data: { outcome } };
}
