import type { Inquiry } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Params, RequestId, RpcResponse } from "../messages.ts";

/** How many questions may wait for one client. */
const MAX_OPEN = 64;

interface OpenQuestion {
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
}

/** Requests to one client that it has not answered yet. */
export class ClientQuestions {
  readonly #open = new Map<RequestId, OpenQuestion>();
  #count = 0;

  /** Resolves with the client's answer; rejects if it gives none or the signal aborts. */
  ask(inquiry: Inquiry, send: (text: string) => void, signal: AbortSignal): Promise<Params> {
    if (this.#open.size >= MAX_OPEN)
      return Promise.reject(new Error("the client has too many open questions"));
    if (signal.aborted) return Promise.reject(new Error("the call was cancelled"));
    const id = `toolkeep-${++this.#count}`;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        send(formatCancellation(id));
        this.#close(id)?.reject(new Error("the call was cancelled"));
      };
      const end = () => signal.removeEventListener("abort", cancel);
      signal.addEventListener("abort", cancel, { once: true });
      this.#open.set(id, {
        resolve: (result) => {
          end();
          resolve(result);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      send(JSON.stringify({ jsonrpc: "2.0", id, method: inquiry.method, params: inquiry.params }));
    });
  }

  /** Takes a client's response; drops one to a question that is not open. */
  settle({ id, result, error }: RpcResponse): void {
    const open = this.#close(id);
    if (result) open?.resolve(result);
    else
      open?.reject(new Error(isRecord(error) ? String(error.message).slice(0, 500) : "the client refused"));
  }

  close(): void {
    for (const open of this.#open.values()) open.reject(new Error("the client's session ended"));
    this.#open.clear();
  }

  #close(id: RequestId): OpenQuestion | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }
}

function formatCancellation(requestId: string): string {
  const params = { requestId, reason: "the call that asked has ended" };
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
}
