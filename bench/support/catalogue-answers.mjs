// What a server of the catalogue says, whatever it is reached over.
import { closeSync, openSync, readSync } from "node:fs";

const methods = {
  initialize: ({ server, version }, { protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: server, version },
  }),
  "tools/list": ({ tools }) => ({ tools }),
  "tools/call": (_, { name }) => ({ content: [{ type: "text", text: `${name} was called` }] }),
};

/** The answer to one message; undefined where none is due. */
export function answerTo(replayed, { id, method, params }) {
  if (id === undefined) return undefined;
  const answer = methods[method]
    ? { result: methods[method](replayed, params ?? {}) }
    : { error: { code: -32601, message: `no method ${method}` } };
  return { jsonrpc: "2.0", id, ...answer };
}

/** One line of the catalogue. */
export function readServer(file, offset, length) {
  const buffer = Buffer.alloc(length);
  const descriptor = openSync(file, "r");
  readSync(descriptor, buffer, 0, length, offset);
  closeSync(descriptor);
  return JSON.parse(buffer.toString("utf8"));
}
