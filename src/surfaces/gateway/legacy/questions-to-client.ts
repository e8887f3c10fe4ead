import type { Inquiry } from "../../../contract/tool.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Params, RequestId, RpcResponse } from "../messages.ts";

/** More questions than this do not wait for one client. */
const MAX_OPEN = 64;

interface Open {
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
}

/** What one client was asked and has not answered yet: requests in the other direction. */
export class Questions {
  readonly #open = new Map<RequestId, Open>();
  #count = 0;

  /** Resolves with the client's answer; rejects where it gives none, or the signal aborts. */
  ask(inquiry: Inquiry, send: (text: string) => void, signal: AbortSignal): Promise<Params> {
    if (this.#open.size >= MAX_OPEN)
      return Promise.reject(new Error("the client has too many open questions"));
    if (signal.aborted) return Promise.reject(new Error("it is no longer wanted"));
    const id = `toolkeep-${++this.#count}`;
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        send(cancelled(id));
        this.#close(id)?.reject(new Error("it is no longer wanted"));
      };
      const end = () => signal.removeEventListener("abort", withdraw);
      signal.addEventListener("abort", withdraw, { once: true });
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

  /** Takes an answer; one to nothing that is open is dropped. */
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

  #close(id: RequestId): Open | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }
}

function cancelled(requestId: string): string {
  const params = { requestId, reason: "the call that asked has ended" };
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
}
