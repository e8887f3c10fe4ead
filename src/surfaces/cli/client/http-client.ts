import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import { type ApiClient, readAnswer } from "./api-client.ts";

/**
 * The API of a running daemon. Uses `node:http` because `fetch` gives up after five minutes, and a call may take ten.
 */
export function httpClient({ url, token }: { readonly url: string; readonly token: string }): ApiClient {
  const { request } = url.startsWith("https:") ? https : http;
  return {
    async send(method, path, body, { signal } = {}) {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${token}`,
          "x-toolkeep-from": "cli",
          ...(payload === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        };
        request(url + path, { method, headers, agent: false, ...(signal ? { signal } : {}) })
          .on("response", (response) => {
            text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
          })
          .on("error", reject)
          .end(payload);
      });
      const { status, body: answered } = await answer.catch((error: unknown) => {
        signal?.throwIfAborted();
        throw new ToolkeepError("DAEMON_UNREACHABLE", `${url} does not answer: ${messageOf(error)}`, {
          cause: error,
        });
      });
      return readAnswer(status, answered);
    },
    async close() {},
  };
}
